import { fullRate, isFullStep, rateAtStep } from '@weft/engine';
import type { DestinationDocument, DestinationStep } from '@weft/records';

/** Plays that wait are set going once a second. */
const WAVE_EVERY_MS = 1_000;
/** The most of one wave, and of a wave for a destination that nobody limits. */
const MOST_A_WAVE = 1_000;
const UNLIMITED_WAVE = 200;
/** A play that was set going to try a destination does so within this time, or another is asked. */
const ASK_AGAIN_MS = 10_000;
/** A destination that is down, for which nobody waits and which nobody calls, is forgotten. */
const UNUSED_MS = 600_000;
/** After it is up, workers send plays away for as long as their book is older. */
const STRAGGLERS_MS = 10_000;
const PERIOD_SECONDS = { second: 1, minute: 60, hour: 3_600 } as const;

export interface NextStep {
  readonly set: DestinationStep;
  /** How many plays that wait are set going; of those that wait for the destination, or also for its limit. */
  readonly release: number;
  readonly withLimit: boolean;
}

/** What a scheduler does with a destination that it looks after now. @param isAnyParked plays wait for it */
export function nextStep(found: DestinationDocument, isAnyParked: boolean, now: Date): NextStep | 'forget' {
  switch (found.state) {
    case 'down':
      return whileDown(found, isAnyParked, now);
    case 'recovering':
      return whileRecovering(found, isAnyParked);
    case 'paused':
      return { set: { lookAfterMs: null }, release: 0, withLimit: false };
    case 'up':
      return whileUp(found, now);
  }
}

function whileDown(found: DestinationDocument, isAnyParked: boolean, now: Date): NextStep | 'forget' {
  const unusedMs = now.getTime() - Math.max(found.nextProbe?.getTime() ?? 0, found.since.getTime());
  if (isAnyParked || unusedMs < UNUSED_MS) {
    return { set: { lookAfterMs: ASK_AGAIN_MS }, release: isAnyParked ? 1 : 0, withLimit: false };
  }
  if (!found.rate_limit) return 'forget';
  return { set: { state: 'up', lookAfterMs: WAVE_EVERY_MS, sweepMs: STRAGGLERS_MS }, release: 0, withLimit: false };
}

function whileRecovering(found: DestinationDocument, isAnyParked: boolean): NextStep {
  const { step = 0, rate = null } = found;
  if (isFullStep(step) && !isAnyParked) {
    const set = { state: 'up', lookAfterMs: WAVE_EVERY_MS, sweepMs: STRAGGLERS_MS, releasedTo: '' } as const;
    return { set, release: 0, withLimit: false };
  }
  const release = Math.min(rateAtStep(rate, step), limitOf(found) ?? MOST_A_WAVE);
  return { set: { step: step + 1, lookAfterMs: WAVE_EVERY_MS }, release, withLimit: false };
}

function whileUp(found: DestinationDocument, now: Date): NextStep | 'forget' {
  const { sweepUntil, rate_limit, suspectSince, evidence = [] } = found;
  if (sweepUntil) {
    const release =
      limitOf(found) ?? (found.rate == null ? UNLIMITED_WAVE : Math.min(MOST_A_WAVE, fullRate(found.rate)));
    return { set: { lookAfterMs: WAVE_EVERY_MS }, release, withLimit: true };
  }
  const newest = Math.max(0, ...evidence.map(({ at }) => at.getTime()));
  const isSuspect = suspectSince !== undefined && newest > now.getTime() - ASK_AGAIN_MS;
  if (isSuspect) return { set: { lookAfterMs: 3 * ASK_AGAIN_MS }, release: 0, withLimit: false };
  return rate_limit ? { set: { lookAfterMs: null }, release: 0, withLimit: false } : 'forget';
}

/** How many calls a second its rate limit lets through; null: it has none. */
function limitOf({ rate_limit }: DestinationDocument): number | null {
  if (!rate_limit) return null;
  return Math.min(MOST_A_WAVE, Math.max(1, Math.ceil(rate_limit.limit / PERIOD_SECONDS[rate_limit.per])));
}

/** After a wave. @param isRoundOver all that wait were released */
export function isSwept({ sweepUntil }: DestinationDocument, isRoundOver: boolean, now: Date): boolean {
  return isRoundOver && sweepUntil !== undefined && sweepUntil <= now;
}
