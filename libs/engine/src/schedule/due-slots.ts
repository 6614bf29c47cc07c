/** Which slots of a schedule are fired when a scheduler looks at it, and how: the policies. The scheduler fires them. */
import type { ScheduleFields } from '@weft/shapes';
import type { CronRule } from './cron-rule.js';

export interface SlotPolicy extends Pick<ScheduleFields, 'missed'> {
  /** Missed slots older than that are let go. */
  readonly windowMs: number;
}

/** A slot that is fired up to this much late was not missed: a scheduler that restarts, a database that elects a primary. */
const ON_TIME_MS = 20_000;
/** More missed slots than that are not made up for: a day of minutes and some. */
const MAX_MADE_UP = 1_500;
/** How many are looked at until one is not due: most often it is the second. */
const CHUNKS = [2, 64, MAX_MADE_UP];

/**
 * The slots from `from` to `now` that are to be fired, oldest first.
 *
 * @param from the first slot that nobody has looked at
 */
export function dueSlots(rule: CronRule, from: Date, now: Date, policy: SlotPolicy): Date[] {
  const isDue = (slot: Date) => slot >= from && isWorthFiring(slot, now, policy);
  if (policy.missed !== 'all') return rule.latest(1, now).filter(isDue);
  let due: Date[] = [];
  for (const count of CHUNKS) {
    due = rule.latest(count, now).filter(isDue);
    if (due.length < count) break;
  }
  return due;
}

/** Whether a slot that was not fired yet still is to be. */
export function isWorthFiring(slot: Date, now: Date, { missed, windowMs }: SlotPolicy): boolean {
  const ageLimitMs = missed === 'none' ? ON_TIME_MS : Math.max(ON_TIME_MS, windowMs);
  return now.getTime() - slot.getTime() <= ageLimitMs;
}

/** Of slots whose turn it is, what becomes of the first: a play, a play that is SKIP at once, or it waits. */
export function decideFiring(overlap: ScheduleFields['overlap'], isEarlierOpen: boolean): 'run' | 'skip' | 'wait' {
  if (overlap === 'allow' || !isEarlierOpen) return 'run';
  return overlap === 'skip' ? 'skip' : 'wait';
}
