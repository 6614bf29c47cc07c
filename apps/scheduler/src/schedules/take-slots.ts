import {
  dueSlots,
  isCronFault,
  isWorthFiring,
  parseDurationMs,
  decideFiring,
  type CronFault,
  type CronRule,
} from '@weft/engine';
import type { NewId } from '@weft/kernel';
import type { PendingSlot, ScheduleDocument } from '@weft/records';

type Slots = Pick<ScheduleDocument, 'nextSlot' | 'takenUntil' | 'pending'>;

/** The most slots that wait for the run before them; further ones are dropped. */
const MAX_WAITING = 1_500;
/** A slot whose play could not be made for this long (the company's backlog stays full) is dropped. */
const MAKE_WITHIN_MS = 86_400_000;

/**
 * The pending slots of a schedule from now on, oldest first. A slot whose turn it is has the id of its play; with `queue`
 * that is one slot, and only when no earlier play is open.
 *
 * @param now MongoDB's clock
 * @param rests nothing of the schedule can run now: its slots are dropped
 */
export function takeSlots(
  schedule: ScheduleDocument,
  rule: CronRule | CronFault,
  now: Date,
  rests: boolean,
  newPlayId: NewId,
): Slots {
  const { nextSlot, takenUntil, missed, overlap } = schedule;
  const isDue = nextSlot !== null && nextSlot <= now;
  const policy = { missed, windowMs: parseDurationMs(schedule.missed_window) ?? 0 };
  // a schedule whose rule this version of Weft cannot read gets no further slots
  const next = isCronFault(rule) ? null : rule.next(now);
  const fresh = isDue && !isCronFault(rule) ? dueSlots(rule, nextSlot, now, policy) : [];
  const earlier = schedule.pending.filter(
    ({ slot, takenAt }) =>
      overlap === 'queue' || (now.getTime() - takenAt.getTime() <= MAKE_WITHIN_MS && isWorthFiring(slot, now, policy)),
  );
  const all = [...earlier, ...fresh.map((slot): PendingSlot => ({ slot, takenAt: now, playId: null }))];
  // those that could not be made when their time came count as missed, too
  const kept = missed === 'all' || overlap === 'queue' ? all.slice(0, MAX_WAITING) : all.slice(-1);
  return {
    nextSlot: isDue ? next : nextSlot,
    takenUntil: isDue ? now : takenUntil,
    pending: rests ? [] : withIds(kept, turnsOf(schedule, kept.length), newPlayId),
  };
}

/** How many of the slots are fired now. */
function turnsOf({ overlap, open }: ScheduleDocument, count: number): number {
  return overlap === 'queue' ? Number(decideFiring(overlap, open.length > 0) === 'run') : count;
}

function withIds(slots: readonly PendingSlot[], turns: number, newPlayId: NewId): PendingSlot[] {
  return slots.map((each, i) => (i < turns && each.playId === null ? { ...each, playId: newPlayId() } : each));
}
