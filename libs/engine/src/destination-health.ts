/** When a destination of calls is down, how it is tried again, and how calls come back to it (ADR 92). Pure; times of the store are MongoDB's. */

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
const FULL_STEP = Math.ceil(Math.log(1 / FIRST_SHARE) / Math.log(GROWTH));
/** For so long a known rate is kept: what waits is less than what came in the outage, and ends within this time at best. */
const STEADY_SECONDS = 900;
const GROWTH_PER_MINUTE = 1.1;
const GROWTH_PER_SECOND = 1.1;
/** No limit is higher. */
const MOST_RATE = 100_000;
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

/** Calls in a second when all of them have come back. @param normal calls in a second before the outage; null: not known */
export function fullRate(normal: number | null): number {
  const rate = normal ?? UNKNOWN_RATE;
  return Math.max(Math.floor(rate) + 1, Math.floor(rate * MOST_OF_NORMAL));
}

/**
 * Calls in a second at this step of a recovery, which lasts a second. While plays still wait at the full rate, the rate before the
 * outage was not what is called now: it goes on growing, at once where none was known, else when the backlog had its time.
 */
export function rateAtStep(normal: number | null, step: number): number {
  const share = FIRST_SHARE * GROWTH ** Math.min(step, FULL_STEP);
  const rate = fullRate(normal) * Math.min(1, share) * growthAfter(normal, step - FULL_STEP);
  return Math.min(MOST_RATE, Math.max(1, Math.floor(rate)));
}

/** Whether all calls may have come back. */
export function isFullStep(step: number): boolean {
  return step >= FULL_STEP;
}

/** @param seconds at the full rate */
function growthAfter(normal: number | null, seconds: number): number {
  if (seconds <= 0) return 1;
  if (normal === null) return GROWTH_PER_SECOND ** seconds;
  if (seconds <= STEADY_SECONDS) return 1;
  return GROWTH_PER_MINUTE ** Math.ceil((seconds - STEADY_SECONDS) / 60);
}
