import type { FlowKey } from '@weft/persistence';

/** Flows of one pass at most. */
const FLOWS_PER_PASS = 50;

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
    for (let seen = 0; seen < this.most; seen += 1) {
      this.after = await this.next(this.after);
      if (!this.after) return seen;
      await this.heal(this.after).catch((error: unknown) => this.onFault(error));
    }
    return this.most;
  }
}
