import type { ProtocolTimes } from '@weft/engine';

/** When a worker last knew for certain that a play is its own (docs/protocol.md §3, rule 4): no effect starts on an old proof. */
export class OwnershipProof {
  /** @param sentAtMs monotonic time from before the request that gave the proof */
  constructor(
    private sentAtMs: number,
    private readonly times: ProtocolTimes,
  ) {}

  renewed(sentAtMs: number): void {
    this.sentAtMs = Math.max(this.sentAtMs, sentAtMs);
  }

  isFresh(claimed: boolean): boolean {
    const { leaseMs, leaseMarginMs, windowMs } = this.times;
    return performance.now() - this.sentAtMs < (claimed ? leaseMs - leaseMarginMs : windowMs);
  }
}
