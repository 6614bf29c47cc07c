/** The protocol's times, in milliseconds: docs/protocol.md §1. */
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
  /**
   * That long after a play without an owner was held or ended, whoever had it unclaimed has called and said so, or has
   * stopped: its call may begin late in the window, and its owner is written after `LAZY` and a write that was refused.
   */
  readonly settleMs: number;
  /** An unowned play that waited for that long is looked for in Redis. */
  readonly unownedMs: number;
  /** Between the reconciler's two looks: nobody rings any more for what the first one saw, whatever clocks show. */
  readonly gapMs: number;
  /** Nobody rings later than this after the write that asked for it. */
  readonly ringByMs: number;
  /** BullMQ's lock on a job. */
  readonly lockMs: number;
  /** Between two looks for jobs whose lock has expired. */
  readonly stalledMs: number;
}

const WHOLE: ProtocolTimes = {
  lazyMs: 100,
  windowMs: 1_000,
  leaseMs: 15_000,
  renewMs: 4_000,
  leaseMarginMs: 5_000,
  settleMs: 2_100,
  unownedMs: 7_000,
  gapMs: 6_000,
  ringByMs: 5_000,
  lockMs: 30_000,
  stalledMs: 5_000,
};

/**
 * A number that fault tests preload into every process of an installation (`test/chaos/harness/short-times.ts`), so that they
 * need not wait for whole leases. No setting and no variable of the environment has it: with different times in two processes, a
 * scheduler would take plays from owners that live.
 */
const DIVISOR = Symbol.for('weft.protocol-times-divisor');

/** Every time, this many times shorter: whatever holds of their order and of their shares in each other holds of these. */
export function timesDividedBy(divisor: number): ProtocolTimes {
  const shorter = { ...WHOLE };
  for (const name of Object.keys(WHOLE) as (keyof ProtocolTimes)[])
    Object.assign(shorter, { [name]: Math.round(WHOLE[name] / divisor) });
  return shorter;
}

export const PROTOCOL_TIMES = timesDividedBy((Reflect.get(globalThis, DIVISOR) as number | undefined) ?? 1);

/** A play that crashed this many times at one place FAILs. */
export const CRASH_LIMIT = 3;

/** @throws RangeError when the order that the protocol's safety rests on does not hold */
export function assertProtocolTimes(times: ProtocolTimes): void {
  const inOrder =
    times.lazyMs < times.windowMs &&
    times.windowMs + times.lazyMs < times.settleMs &&
    times.windowMs < times.ringByMs &&
    times.ringByMs < times.gapMs &&
    times.gapMs < times.unownedMs &&
    times.windowMs * 5 <= times.lockMs &&
    times.stalledMs < times.lockMs &&
    times.renewMs * 2 < times.leaseMs - times.leaseMarginMs;
  if (!inOrder) {
    throw new RangeError(
      'protocol times must satisfy lazy < window < ringBy < gap < unowned, window + lazy < settle, 5 × window ≤ lock, stalled < lock, 2 × renew < lease − margin',
    );
  }
}
