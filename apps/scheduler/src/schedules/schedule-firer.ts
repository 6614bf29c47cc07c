/**
 * Fires the slots of schedules: takes those that are due, makes their plays, and sees how these end. Any number of
 * schedulers do so in parallel, without a leader, and a process may die after each step:
 *
 * 1. Take: a write on exactly the schedule that was read moves it past the slot and fixes the ids of the plays.
 * 2. Make each play, by the same rules as a run over the API. The id decides: a second insert has no effect.
 * 3. Settle: the slot is not pending any more. If a scheduler dies before that, another one settles the slot some seconds
 * later.
 *
 * Most schedules are due at the same minutes, so each step is done for a page of them at once.
 */
import { OWN_KEYS, type ScheduledRunAuthorizer, type PlayAcceptance, type RunEligibility } from '@weft/runs';
import { isFinal, type PlayState } from '@weft/contracts';
import { decideFiring } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  toLastRun,
  type ScheduleDocument,
  type ScheduleFiringRepository,
  type Settlement,
  type TakenSlots,
} from '@weft/records';
import { randomInt } from 'node:crypto';
import { inParallel } from '../in-parallel.js';
import { KnownRules } from './known-rules.js';
import { missedSlots, type MissedSlots } from './missed-slots.js';
import { Settlements } from './settlements.js';
import { takeSlots } from './take-slots.js';

export interface ScheduleFirerDeps {
  readonly schedules: ScheduleFiringRepository;
  readonly acceptance: Pick<PlayAcceptance, 'accept' | 'acceptSkipped' | 'nextPlayId'>;
  readonly authorizer: Pick<ScheduledRunAuthorizer, 'eligibilityOf'>;
  /** A play of a schedule has ended; called once over all schedulers. */
  readonly onEnd: (flowId: string, state: PlayState, durationMs: number | null) => void;
  /** A schedule could not be fired now. It is tried again. */
  readonly onFault: (scheduleId: string, error: unknown) => void;
}

/** For how long other schedulers leave a schedule to the one that took its slots. */
const FINISH_WITHIN_MS = 5_000;
const TRY_AGAIN_MS = 5_000;
/** Schedules whose slots are taken, made and settled together. */
const PAGE = 200;
const AT_ONCE = 16;
/** The most pages that are skipped while other schedulers work on the first ones. */
const MAX_SKIPPED = 8;

type Runnable = Extract<RunEligibility, { blockedReason: null }>['flow'];

/** What is about to be written to a schedule, and what can be fired afterwards. */
interface Attended {
  readonly schedule: ScheduleDocument;
  readonly taken: TakenSlots;
  /** Null: nothing of the schedule can run now. */
  readonly flow: Runnable | null;
  readonly missed: MissedSlots | null;
}

export class ScheduleFirer {
  private readonly rules = new KnownRules();

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
      const taken = await this.attendAll(fresh, now);
      if (skip === 0 && (due.length < PAGE || fresh.length === 0)) return;
      // other schedulers work on the first pages: look at a random later one
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
      await inParallel(page, AT_ONCE, async ({ _id, flow_id, open }) => {
        for (const playId of open) {
          const run = runs.get(playId) ?? null;
          if (run && !isFinal(run.state)) continue;
          if ((await schedules.close(_id, playId, run)) && run) onEnd(flow_id, run.state, run.durationMs);
        }
      });
      after = page.at(-1)?._id ?? '';
      if (page.length < PAGE) return;
    }
  }

  /** @returns how many of them this scheduler took, and not another one */
  private async attendAll(read: readonly ScheduleDocument[], now: Date): Promise<number> {
    const { schedules } = this.deps;
    const settled = await this.settleStored(read, now);
    const attended: Attended[] = [];
    await Promise.all(
      settled.map((schedule) =>
        this.trying(schedule, now, async () => void attended.push(await this.judge(schedule, now))),
      ),
    );
    const mine = await schedules.takeAll(attended);
    const settlements = new Settlements(schedules);
    await Promise.all(
      attended.map(async ({ schedule, taken, flow, missed }) => {
        if (flow === null || !mine.has(schedule._id)) return;
        if (missed) await this.trying(schedule, now, () => schedules.recordMissed(schedule, missed));
        const fired = { ...schedule, ...taken, rev: schedule.rev + 1 };
        await this.trying(schedule, now, () => this.fireAll(fired, flow, now, settlements));
      }),
    );
    await settlements.flush();
    return mine.size;
  }

  /** A schedule that cannot be fired does not delay the others. */
  private async trying(schedule: ScheduleDocument, now: Date, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.onFault(schedule._id, error);
      const attendAt = new Date(now.getTime() + TRY_AGAIN_MS);
      // so that many schedules that cannot be fired do not precede the others; those that were taken already have a later
      // time
      await this.deps.schedules.leave(schedule, attendAt).catch(() => undefined);
    }
  }

  private async judge(schedule: ScheduleDocument, now: Date): Promise<Attended> {
    const { company_id: companyId, flow_id: flowId, created_by: userId } = schedule;
    const eligibility = await this.deps.authorizer.eligibilityOf({ companyId, flowId, userId });
    const rested = eligibility.blockedReason !== null;
    const rule = this.rules.read(schedule.schedule, schedule.timezone, now);
    const slots = takeSlots(schedule, rule, now, rested, this.deps.acceptance.nextPlayId);
    const isFired = slots.pending.some(({ playId }) => playId !== null);
    const attendAt = isFired ? new Date(now.getTime() + FINISH_WITHIN_MS) : slots.nextSlot;
    return {
      schedule,
      taken: { ...slots, attendAt, rested },
      flow: eligibility.blockedReason === null ? eligibility.flow : null,
      missed: rested ? null : missedSlots(schedule, rule, slots.pending, now),
    };
  }

  /** Settles plays that a scheduler made before it died: their slots are already decided. */
  private async settleStored(read: readonly ScheduleDocument[], now: Date): Promise<readonly ScheduleDocument[]> {
    const { schedules } = this.deps;
    const idsOf = ({ pending }: ScheduleDocument) => pending.flatMap(({ playId }) => playId ?? []);
    const left = read.filter((each) => idsOf(each).length > 0);
    if (left.length === 0) return read;
    const runs = await schedules.runs(left.flatMap(idsOf));
    const made = left.flatMap((each) => idsOf(each).map((playId) => ({ id: each._id, playId, run: runs.get(playId) })));
    await schedules.settleAll(
      made.flatMap(({ run, ...slot }) => (run ? [{ ...slot, run, isOpen: !isFinal(run.state) }] : [])),
    );
    const ids = left.map(({ _id }) => _id);
    return [...read.filter(({ _id }) => !ids.includes(_id)), ...(await schedules.dueOf(ids, now))];
  }

  private async fireAll(
    schedule: ScheduleDocument,
    flow: Runnable,
    now: Date,
    settlements: Settlements,
  ): Promise<void> {
    const { _id, pending, nextSlot } = schedule;
    let isEarlierOpen = schedule.open.length > 0;
    let settled = 0;
    const leave = (attendAt: Date | null) => settlements.leave({ _id, rev: schedule.rev + settled }, attendAt);
    for (const { slot, playId } of pending) {
      if (playId === null) break;
      let settlement: Settlement;
      try {
        settlement = await this.fire(schedule, flow, { slot, playId }, isEarlierOpen);
      } catch (error) {
        if (!(error instanceof WeftError)) throw error;
        this.deps.onFault(_id, error);
        if (error.status === 429) return leave(new Date(now.getTime() + TRY_AGAIN_MS));
        // a condition that cannot be evaluated refuses this run, as it refuses one over the API
        settlement = { id: _id, playId, run: null, isOpen: false };
      }
      await settlements.add(settlement);
      settled += 1;
      isEarlierOpen ||= settlement.isOpen;
    }
    if (pending.every(({ playId }) => playId !== null)) return;
    // a play that ended at once (SKIP by the flow's condition) makes room for the next slot; otherwise the end of the play
    // wakes the schedule
    leave(isEarlierOpen ? nextSlot : now);
  }

  private async fire(
    schedule: ScheduleDocument,
    flow: Runnable,
    { slot, playId }: { readonly slot: Date; readonly playId: string },
    isEarlierOpen: boolean,
  ): Promise<Settlement> {
    const { acceptance, schedules } = this.deps;
    const { _id: id, args, labels, created_by: triggeredBy, overlap } = schedule;
    // shows which slot the play is for, and also prevents a second play of the slot
    const idempotencyKey = `${OWN_KEYS.schedule}${id}:${slot.toISOString()}`;
    const ask = { playId, idempotencyKey, args, labels, trigger: 'schedule', triggeredBy } as const;
    const skips = decideFiring(overlap, isEarlierOpen) === 'skip';
    const { play, wasThere } = await (skips ? acceptance.acceptSkipped(flow, ask) : acceptance.accept(flow, ask));
    // another scheduler made it at the same time: its decision holds
    const run = wasThere ? ((await schedules.runs([playId])).get(playId) ?? null) : toLastRun(play);
    const isOpen = run !== null && !isFinal(run.state);
    // a slot that was skipped is not a run
    return { id, playId, run: skips && !isOpen ? null : run, isOpen };
  }
}
