import type { ProtocolTimes, Session } from '@weft/engine';

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

  /** Waits until there is a fresh one. @returns false when the session has ended */
  async obtain(
    session: () => Pick<Session, 'endReason' | 'isClaimed'>,
    renew: () => Promise<unknown>,
    pause: () => Promise<unknown>,
  ): Promise<boolean> {
    while (session().endReason === null && !this.isFresh(session().isClaimed)) {
      // without an owner, the lazy write is on its way
      if (session().isClaimed) await renew();
      if (!this.isFresh(session().isClaimed)) await pause();
    }
    return session().endReason === null;
  }
}
