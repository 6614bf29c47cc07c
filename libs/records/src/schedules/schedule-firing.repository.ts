import type { mongo } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { recordAudit, type Look, type Mongo, type SystemScope } from '@weft/store';
import { withoutOpen, withRun } from './run-marks.js';
import { runsOf } from './scheduled-plays.js';
import { SCHEDULES, type LastRun, type PendingSlot, type ScheduleDocument } from './schedule.schema.js';

/** What a scheduler writes when it takes slots of a schedule. */
export interface TakenSlots {
  readonly nextSlot: Date | null;
  readonly takenUntil: Date | null;
  readonly pending: readonly PendingSlot[];
  /** Until then the others leave the schedule to whoever took; later they finish what is pending. */
  readonly attendAt: Date | null;
  readonly rested: boolean;
}

/** What has become of a pending slot. */
export interface Settlement {
  /** Of the schedule. */
  readonly id: string;
  readonly playId: string;
  /** Null for a slot that was skipped: it is not the last run. */
  readonly run: LastRun | null;
  readonly isOpen: boolean;
}

const isDueBy = (now: Date) => ({ attendAt: { $lte: now } });
const isWatchedAfter = (id: string) => ({ _id: { $gt: id }, 'open.0': { $exists: true } });
const NEXT_FLOWS = { nextSlot: 1, flow_id: 1 } as const;

/**
 * Schedules as schedulers fire them. Any number of them may do so at once: taking a slot is a write on exactly what was
 * read, which also fixes the id of its play; inserting that play twice is one play; and everything else is repeatable.
 */
export class ScheduleFiringRepository {
  constructor(
    private readonly mongo: Mongo,
    readonly scope: SystemScope,
  ) {}

  /** What MongoDB's clock shows now. No clock of this machine has a part in it. */
  async serverTime(): Promise<Date> {
    const { localTime } = await this.mongo.db.command({ hello: 1 }, { signal: this.mongo.deadline() });
    return localTime as Date;
  }

  /** Whether any is due, and whether the end of a play is to be seen. */
  looks(now: Date): readonly Look[] {
    return [isDueBy(now), isWatchedAfter('')].map((filter) => ({ collection: SCHEDULES, filter }));
  }

  /** Those that somebody has to look at, the longest due first. */
  async due(now: Date, limit: number, skip: number): Promise<ScheduleDocument[]> {
    return this.schedules().find(isDueBy(now)).sort({ attendAt: 1 }).skip(skip).limit(limit).toArray();
  }

  /** Of these schedules those that are still due, as they are now. */
  async dueOf(ids: readonly string[], now: Date): Promise<ScheduleDocument[]> {
    return this.schedules()
      .find({ _id: { $in: [...ids] }, ...isDueBy(now) })
      .toArray();
  }

  /**
   * Takes slots of many schedules, each in one write on exactly what was read.
   *
   * @returns the ids of those that were: with the others another scheduler or a user was there first, and nothing was written
   */
  async takeAll(
    all: readonly { readonly schedule: Pick<ScheduleDocument, '_id' | 'rev'>; readonly taken: TakenSlots }[],
  ): Promise<ReadonlySet<string>> {
    const ids = all.map(({ schedule }) => schedule._id);
    if (ids.length === 0) return new Set();
    const taker = randomUUID();
    const { matchedCount } = await this.schedules().bulkWrite(
      all.map(({ schedule: { _id, rev }, taken }) => ({
        updateOne: { filter: { _id, rev }, update: { $set: { ...taken, taker }, $inc: { rev: 1 } } },
      })),
      { ordered: false },
    );
    if (matchedCount === ids.length) return new Set(ids);
    const mine = await this.schedules()
      .find({ _id: { $in: ids }, taker }, { projection: { _id: 1 } })
      .toArray();
    return new Set(mine.map(({ _id }) => _id));
  }

  /** Slots have passed without a run: an entry in the audit log says so. */
  async recordMissed(
    { _id, company_id, flow_id }: Pick<ScheduleDocument, '_id' | 'company_id' | 'flow_id'>,
    { count, first, last }: { readonly count: number; readonly first: Date; readonly last: Date },
  ): Promise<void> {
    await this.mongo.transaction((session) =>
      recordAudit(session, {
        action_type: 'schedule_missed',
        collection: SCHEDULES,
        company_id,
        resource_type: 'schedule',
        resource_id: _id,
        changes: {
          flow_id: { before: null, after: flow_id },
          missed: { before: null, after: { count, first, last } },
        },
      }),
    );
  }

  /** The plays of pending slots are stored: these slots are done. One that another scheduler has settled stays as it is. */
  async settleAll(all: readonly Settlement[]): Promise<void> {
    if (all.length === 0) return;
    await this.schedules().bulkWrite(
      all.map(({ id, playId, run, isOpen }) => {
        const pending = { $filter: { input: '$pending', cond: { $ne: ['$$this.playId', { $literal: playId }] } } };
        const update = [
          ...(run ? withRun(run, isOpen) : []),
          { $set: { pending, rev: { $add: ['$rev', 1] } } },
          { $set: { attendAt: { $cond: [{ $eq: ['$pending', []] }, '$nextSlot', '$attendAt'] } } },
        ];
        return { updateOne: { filter: { _id: id, 'pending.playId': playId }, update } };
      }),
      { ordered: false },
    );
  }

  /** Somebody looks at it again then. Does nothing when it was changed meanwhile: whoever changed it has said when. */
  async leave({ _id, rev }: Pick<ScheduleDocument, '_id' | 'rev'>, attendAt: Date | null): Promise<void> {
    await this.schedules().updateOne({ _id, rev }, { $set: { attendAt } });
  }

  /** A page of those with open plays. */
  async watched(afterId: string, limit: number): Promise<Pick<ScheduleDocument, '_id' | 'flow_id' | 'open'>[]> {
    return this.schedules()
      .find(isWatchedAfter(afterId), { projection: { flow_id: 1, open: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** What has become of these plays; one round trip. */
  async runs(playIds: readonly string[]): Promise<ReadonlyMap<string, LastRun>> {
    return runsOf(this.mongo, this.scope, playIds);
  }

  /**
   * The play has ended, or is gone (`null`): whoever waits in the schedule is looked at now.
   *
   * @returns false when another scheduler has said so
   */
  async close(id: string, playId: string, run: LastRun | null): Promise<boolean> {
    const isLast = { $eq: ['$last.playId', { $literal: playId }] };
    const { matchedCount } = await this.schedules().updateOne({ _id: id, open: playId }, [
      {
        $set: {
          open: withoutOpen(playId),
          ...(run && { last: { $cond: [isLast, { $literal: run }, '$last'] } }),
          attendAt: { $cond: [{ $eq: ['$pending', []] }, '$attendAt', '$$NOW'] },
          rev: { $add: ['$rev', 1] }, // who decided with the play open must not say when to look again
        },
      },
    ]);
    return matchedCount === 1;
  }

  /** The flows whose schedules come next, the soonest first. */
  async soonest(limit: number): Promise<{ readonly flow_id: string; readonly nextSlot: Date | null }[]> {
    return this.schedules()
      .find({ attendAt: { $ne: null }, nextSlot: { $ne: null }, rested: false }, { projection: NEXT_FLOWS })
      .sort({ attendAt: 1 })
      .limit(limit)
      .toArray();
  }

  private schedules(): mongo.Collection<ScheduleDocument> {
    return this.mongo.collection<ScheduleDocument>(SCHEDULES);
  }
}
