/** The protocol's times, in milliseconds: protocol §1. */
export interface ProtocolTimes {
  /** A play in work for that long is written RUN with an owner. */
  readonly lazyMs: number;
  /** An effect of an unclaimed play starts only on a hand-out that is younger. */
  readonly windowMs: number;
  /** An owner that gave no sign of life for that long is taken for dead. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** A claimed play's effect starts only on a proof younger than the lease less this. */
  readonly leaseMarginMs: number;
  /** An unowned play that waited for that long is looked for in Redis. */
  readonly unownedMs: number;
  /** Between the reconciler's two looks. */
  readonly gapMs: number;
  /** Nobody rings later than this after the write that asked for it. */
  readonly ringByMs: number;
  /** BullMQ's lock on a job. */
  readonly lockMs: number;
}

export const PROTOCOL_TIMES: ProtocolTimes = {
  lazyMs: 100,
  windowMs: 1_000,
  leaseMs: 15_000,
  renewMs: 4_000,
  leaseMarginMs: 5_000,
  unownedMs: 10_000,
  gapMs: 1_500,
  ringByMs: 5_000,
  lockMs: 30_000,
};

/** A play that crashed that often at one place FAILs. */
export const CRASH_LIMIT = 3;

/** @throws RangeError when the order that the protocol's safety rests on does not hold */
export function assertProtocolTimes(times: ProtocolTimes): void {
  const inOrder =
    times.lazyMs < times.windowMs &&
    times.windowMs < times.gapMs &&
    times.gapMs < times.unownedMs &&
    times.ringByMs < times.unownedMs &&
    times.windowMs * 5 <= times.lockMs &&
    times.renewMs * 2 < times.leaseMs - times.leaseMarginMs;
  if (!inOrder) {
    throw new RangeError(
      'protocol times must satisfy lazy < window < gap < unowned, ringBy < unowned, 5 × window ≤ lock, 2 × renew < lease − margin',
    );
  }
}
