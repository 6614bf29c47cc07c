/**
 * Fires the slots of schedules: takes those that are due, makes their plays, and sees how these end. Any number of schedulers
 * do so side by side, without a leader, and each step may be the last one of a process:
 *
 * 1. Take: one write on exactly the schedule that was read moves it past the slot and fixes the ids of the plays.
 * 2. Make each play, by the same rules as a run over the API. The id decides: a second insert is none.
 * 3. Settle: the slot is not pending any more. Who dies before that leaves it to another, some seconds later.
 */
import type { OnBehalf, PlayAcceptance, Standing } from '@weft/acceptance';
import { isFinal, type PlayState } from '@weft/contracts';
import { turnOf } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { toLastRun, type ScheduleDocument, type ScheduleFiringRepository } from '@weft/persistence';
import { randomInt } from 'node:crypto';
import { takeSlots } from './take-slots.js';

export interface ScheduleFirerDeps {
  readonly schedules: ScheduleFiringRepository;
  readonly acceptance: Pick<PlayAcceptance, 'accept' | 'acceptSkipped' | 'nextPlayId'>;
  readonly onBehalf: Pick<OnBehalf, 'standingOf'>;
  /** A play of a schedule has ended; told once over all schedulers. */
  readonly onEnd: (flowId: string, state: PlayState, durationMs: number | null) => void;
  /** A schedule could not be fired now; it is tried again. */
  readonly onFault: (scheduleId: string, error: unknown) => void;
}

/** How long the others leave a schedule to whoever took its slots. */
const FINISH_WITHIN_MS = 5_000;
const TRY_AGAIN_MS = 5_000;
const PAGE = 100;
const AT_ONCE = 16;
/** Pages that are passed over at most when others work on the first ones. */
const MAX_SKIPPED = 8;

type Runnable = Extract<Standing, { resting: null }>['flow'];

export class ScheduleFirer {
  constructor(private readonly deps: ScheduleFirerDeps) {}

  /** One look at everything that is due. Rejects when MongoDB does not answer. */
  async pass(): Promise<void> {
    await this.seeEnds();
    const tried = new Set<string>();
    let skip = 0;
    for (;;) {
      const now = await this.deps.schedules.serverTime();
      const due = await this.deps.schedules.due(now, PAGE, skip);
      const fresh = due.filter(({ _id, rev }) => !tried.has(`${_id} ${rev}`));
      for (const { _id, rev } of fresh) tried.add(`${_id} ${rev}`);
      const taken = await inParallel(fresh, AT_ONCE, (schedule) => this.tryAttend(schedule, now));
      if (skip === 0 && (due.length < PAGE || fresh.length === 0)) return;
      // where others are at work, there is more to do elsewhere
      skip = due.length === PAGE && taken < due.length / 2 ? PAGE * randomInt(MAX_SKIPPED) : 0;
    }
  }

  /** Plays that have ended since the last look: what they leave to their schedule, and who waits for them. */
  private async seeEnds(): Promise<void> {
    const { schedules, onEnd } = this.deps;
    let after = '';
    for (;;) {
      const page = await schedules.watched(after, PAGE);
      const runs = await schedules.runs(page.flatMap(({ open }) => open));
      for (const { _id, flow_id, open } of page) {
        for (const playId of open) {
          const run = runs.get(playId) ?? null;
          if (run && !isFinal(run.state)) continue;
          if ((await schedules.close(_id, playId, run)) && run) onEnd(flow_id, run.state, run.durationMs);
        }
      }
      after = page.at(-1)?._id ?? '';
      if (page.length < PAGE) return;
    }
  }

  private async tryAttend(schedule: ScheduleDocument, now: Date): Promise<boolean> {
    try {
      return await this.attend(schedule, now);
    } catch (error) {
      this.deps.onFault(schedule._id, error);
      const attendAt = new Date(now.getTime() + TRY_AGAIN_MS);
      // so that many that cannot be fired do not stand before the others; what was taken has its time already
      await this.deps.schedules.leave(schedule, attendAt).catch(() => undefined);
      return false;
    }
  }

  /** @returns false when another scheduler was there first */
  private async attend(read: ScheduleDocument, now: Date): Promise<boolean> {
    const { schedules, onBehalf, acceptance } = this.deps;
    const schedule = await this.settleStored(read);
    const { company_id: companyId, flow_id: flowId, created_by: userId } = schedule;
    const standing = await onBehalf.standingOf({ companyId, flowId, userId });
    const rested = standing.resting !== null;
    const slots = takeSlots(schedule, now, rested, acceptance.nextPlayId);
    const isMine = slots.pending.some(({ playId }) => playId !== null);
    const attendAt = isMine ? new Date(now.getTime() + FINISH_WITHIN_MS) : slots.nextSlot;
    if (!(await schedules.take(schedule, { ...slots, attendAt, rested }))) return false;
    if (standing.resting !== null) return true;
    await this.fireAll({ ...schedule, ...slots, rev: schedule.rev + 1 }, standing.flow, now);
    return true;
  }

  /** Plays that a scheduler made before it died: nothing is decided about their slots any more. */
  private async settleStored(schedule: ScheduleDocument): Promise<ScheduleDocument> {
    const ids = schedule.pending.flatMap(({ playId }) => playId ?? []);
    if (ids.length === 0) return schedule;
    let { rev, open, pending } = schedule;
    for (const [playId, run] of await this.deps.schedules.runs(ids)) {
      const isOpen = !isFinal(run.state);
      if (await this.deps.schedules.settle(schedule._id, playId, run, isOpen)) rev += 1;
      pending = pending.filter((each) => each.playId !== playId);
      if (isOpen) open = [...open, playId];
    }
    return { ...schedule, rev, open, pending };
  }

  private async fireAll(schedule: ScheduleDocument, flow: Runnable, now: Date): Promise<void> {
    const { schedules, onFault } = this.deps;
    let { rev } = schedule;
    let isEarlierOpen = schedule.open.length > 0;
    for (const { slot, playId } of schedule.pending) {
      if (playId === null) break;
      try {
        const fired = await this.fire(schedule, flow, { slot, playId }, isEarlierOpen);
        isEarlierOpen ||= fired.isOpen;
        if (fired.isSettled) rev += 1;
      } catch (error) {
        if (!(error instanceof WeftError)) throw error;
        onFault(schedule._id, error);
        if (error.code === 'backlog_full') {
          await schedules.leave({ _id: schedule._id, rev }, new Date(now.getTime() + TRY_AGAIN_MS));
          return;
        }
        // a condition that cannot be judged refuses this run, as it does one over the API
        if (await schedules.settle(schedule._id, playId, null, false)) rev += 1;
      }
    }
    if (schedule.pending.every(({ playId }) => playId !== null)) return;
    // one that ended at once (SKIP by the flow's condition) leaves the next its turn; else the end of the play wakes it
    await schedules.leave({ _id: schedule._id, rev }, isEarlierOpen ? schedule.nextSlot : now);
  }

  private async fire(
    schedule: ScheduleDocument,
    flow: Runnable,
    { slot, playId }: { readonly slot: Date; readonly playId: string },
    isEarlierOpen: boolean,
  ): Promise<{ readonly isOpen: boolean; readonly isSettled: boolean }> {
    const { acceptance, schedules } = this.deps;
    const { _id, args, created_by: triggeredBy, overlap } = schedule;
    // shows which slot the play is of, and is one more lock on it
    const idempotencyKey = `schedule:${_id}:${slot.toISOString()}`;
    const ask = { playId, idempotencyKey, args, trigger: 'schedule', triggeredBy } as const;
    const skips = turnOf(overlap, isEarlierOpen) === 'skip';
    const { play, wasThere } = await (skips ? acceptance.acceptSkipped(flow, ask) : acceptance.accept(flow, ask));
    // somebody made it at the same time: what was decided there holds
    const run = wasThere ? ((await schedules.runs([playId])).get(playId) ?? null) : toLastRun(play);
    const isOpen = run !== null && !isFinal(run.state);
    // a slot that was skipped was no run
    const isSettled = await schedules.settle(_id, playId, skips && !isOpen ? null : run, isOpen);
    return { isOpen, isSettled };
  }
}

/** @returns how often the work was done */
async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<boolean>,
): Promise<number> {
  const left = items.values();
  let done = 0;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of left) if (await work(item)) done += 1;
    }),
  );
  return done;
}
