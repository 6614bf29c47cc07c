import { isCronFault, type CronFault, type CronRule } from '@weft/engine';
import type { ScheduleDocument } from '@weft/records';

/** Slots that pass without a run because nobody fired them in time. */
export interface MissedSlots {
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
}

/** More are not counted: a day of minutes and some. */
const MAX_COUNTED = 1_500;
/** A slot that is let go at this age was missed; a younger one gave way to the one after it, at a short interval. */
const LATE_MS = 20_000;

/**
 * The slots of a schedule that are due and that its policies let go; null: it let go no slot.
 *
 * @param pending the slots that are fired
 */
export function missedSlots(
  { nextSlot }: Pick<ScheduleDocument, 'nextSlot'>,
  rule: CronRule | CronFault,
  pending: ScheduleDocument['pending'],
  now: Date,
): MissedSlots | null {
  if (nextSlot === null || nextSlot > now || isCronFault(rule)) return null;
  if (now.getTime() - nextSlot.getTime() <= LATE_MS) return null;
  const fired = new Set(pending.map(({ slot }) => slot.getTime()));
  const missed = rule
    .latest(MAX_COUNTED, now)
    .filter((slot) => slot >= nextSlot && now.getTime() - slot.getTime() > LATE_MS && !fired.has(slot.getTime()));
  const times = missed.map((slot) => slot.getTime());
  if (times.length === 0) return null;
  return { count: times.length, first: new Date(Math.min(...times)), last: new Date(Math.max(...times)) };
}
