import type { FlowKey } from '@weft/persistence';
import { sideBySide } from '../side-by-side.js';

/** Flows of one pass at most. */
const FLOWS_PER_PASS = 1_000;
/** Flows that are looked at side by side: one that takes long holds up none of the others. */
const AT_ONCE = 8;

/** Walks the flows that have plays which wait for their admission, so many in a pass, and begins anew at the end. */
export class QueueWalk {
  private after: FlowKey | null = null;

  constructor(
    private readonly next: (after: FlowKey | null) => Promise<FlowKey | null>,
    private readonly heal: (flow: FlowKey) => Promise<void>,
    /** A flow could not be healed: the others are not affected. */
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
    await sideBySide(flows, AT_ONCE, (flow) => this.heal(flow).catch((error: unknown) => this.onFault(error)));
    return flows.length;
  }
}
