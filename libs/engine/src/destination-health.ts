/** When a destination of calls is down, how it is tried again, and how calls come back to it (ADR 93). Pure; times of the store are MongoDB's. */

/** What one worker saw of the newest calls to a destination. */
export interface CallEvidence {
  readonly calls: number;
  readonly failed: number;
}

/** A worker reports what it sees from this many failures on, when they are half of its newest calls. */
export const SUSPECT_FAILURES = 3;
/** Of all workers together, for a destination to be down. */
export const DOWN_CALLS = 5;
export const DOWN_SHARE = 0.5;
/** From the first report to the decision: in this time other workers report, too. */
export const CONFIRM_MS = 1_500;
/** Reports that are older do not count. */
export const EVIDENCE_MS = 10_000;

const FIRST_PROBE_MS = 1_000;
const LONGEST_PROBE_MS = 30_000;
/** A worker that has the one call that may be made, and dies, keeps others from it for this long. */
export const PROBE_LEASE_MS = 60_000;

/** Of the calls before the outage: the rate has room for those that wait, and stays below what the peer is used to. */
const MOST_OF_NORMAL = 1.05;
const FIRST_SHARE = 0.1;
const GROWTH = 2;
/** For a destination of which no rate is known: it was paused before it was ever down. */
const UNKNOWN_RATE = 50;

/** A worker sees that a destination may be down. */
export function seemsDown({ calls, failed }: CallEvidence): boolean {
  return failed >= SUSPECT_FAILURES && failed >= calls * DOWN_SHARE;
}

/** While calls come back: whether what one worker saw of them sends the destination down again. */
export function failsAgain({ calls, failed }: CallEvidence): boolean {
  return failed > 0 && failed * 10 >= calls;
}

/** @param failedProbes since it went down */
export function probeDelayMs(failedProbes: number): number {
  return Math.min(LONGEST_PROBE_MS, FIRST_PROBE_MS * 2 ** Math.min(failedProbes, 10));
}

/** Calls in a second at the end of a recovery. @param normal calls in a second before the outage; null: not known */
export function fullRate(normal: number | null): number {
  return Math.max(1, Math.floor((normal ?? UNKNOWN_RATE) * MOST_OF_NORMAL));
}

/** Calls in a second at this step of a recovery, which lasts a second. */
export function rateAtStep(normal: number | null, step: number): number {
  return Math.max(1, Math.floor(fullRate(normal) * Math.min(1, FIRST_SHARE * GROWTH ** step)));
}

/** Whether the rate does not grow any more. */
export function isFullStep(step: number): boolean {
  return FIRST_SHARE * GROWTH ** step >= 1;
}
