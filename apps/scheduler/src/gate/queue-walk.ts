import type { FlowKey } from '@weft/persistence';
import { inParallel } from '../in-parallel.js';

/** The most flows of one pass. */
const FLOWS_PER_PASS = 1_000;
/** Flows that are looked at in parallel: a slow one does not delay the others. */
const AT_ONCE = 8;

/** Walks the flows whose plays wait for their admission, a limited number in a pass, and starts again at the end. */
export class QueueWalk {
  private after: FlowKey | null = null;

  constructor(
    private readonly next: (after: FlowKey | null) => Promise<FlowKey | null>,
    private readonly heal: (flow: FlowKey) => Promise<void>,
    /** A flow could not be healed. The others are not affected. */
    private readonly onFault: (error: unknown) => void,
    private readonly most = FLOWS_PER_PASS,
  ) {}

  /** @returns how many flows were looked at */
  async pass(): Promise<number> {
    const flows: FlowKey[] = [];
    let reached = this.after;
    do {
      reached = await this.next(reached);
      if (reached) flows.push(reached);
    } while (reached && flows.length < this.most);
    this.after = reached;
    await inParallel(flows, AT_ONCE, (flow) => this.heal(flow).catch((error: unknown) => this.onFault(error)));
    return flows.length;
  }
}
