import { FINAL_STATES, type PlayJob } from '@weft/contracts';
import { raiseWrite, type OpenPlay, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import type { SystemScope } from '../scope.js';
import type { FlowKey } from '../flow-gate/flow-gate.repository.js';
import { OpenPlayWrites, type OpenPlayChange, type WriteOutcomes } from './open-play-writes.js';
import { jobOf } from './play-keys.js';
import { PLAYS } from './play.schema.js';

const OPEN_FIELDS = {
  company_id: 1,
  flowId: 1,
  state: 1,
  epoch: 1,
  seq: 1,
  cursor: 1,
  owner: 1,
  beatAt: 1,
  dueAt: 1,
  crashes: 1,
  priority: 1,
  waits: 1,
  limited: 1,
  queued: 1,
  requestId: 1,
} as const;

const NEW_UNOWNED = { state: 'NEW', owner: { $exists: false } } as const;

/** Plays that have not ended, over all companies: what the reconciler walks (protocol §6) and the windows are filled from. */
export class OpenPlaysRepository {
  private readonly plays: mongo.Collection<Play>;
  private readonly writes: OpenPlayWrites;

  constructor(
    mongo: Mongo,
    readonly scope: SystemScope,
  ) {
    this.plays = mongo.collection<Play>(PLAYS);
    this.writes = new OpenPlayWrites(mongo);
  }

  /**
   * Open plays without a sign of life since `until`, oldest first, a page from `after` on (exclusive by time and id).
   * Index `silent`.
   */
  async silent(after: { beatAt: Date; id: string } | null, until: Date, limit: number): Promise<OpenPlay[]> {
    const from = after
      ? { $or: [{ beatAt: { $gt: after.beatAt, $lte: until } }, { beatAt: after.beatAt, _id: { $gt: after.id } }] }
      : { beatAt: { $lte: until } };
    return this.open(from, { beatAt: 1, _id: 1 }, limit);
  }

  /** DEFERRED and WAIT plays whose time has come, but these. Index `due`. */
  async due(until: Date, limit: number, except: readonly string[] = []): Promise<OpenPlay[]> {
    const filter = { dueAt: { $lte: until }, state: { $in: ['DEFERRED', 'WAIT'] }, ...but(except) };
    return this.open(filter, { dueAt: 1 }, limit);
  }

  /** Open plays whose time limit is over, but these. Index `deadline`. */
  async outOfTime(until: Date, limit: number, except: readonly string[] = []): Promise<OpenPlay[]> {
    const filter = { deadlineAt: { $lte: until }, state: { $nin: [...FINAL_STATES] }, ...but(except) };
    return this.open(filter, { deadlineAt: 1 }, limit);
  }

  /** @param within where all of them are known to be */
  async byIds(ids: readonly string[], within: Partial<FlowKey> = {}): Promise<OpenPlay[]> {
    const { companyId, flowId } = within;
    const where = { ...(companyId && { company_id: companyId }), ...(flowId && { flowId }) };
    return ids.length === 0 ? [] : this.open({ ...where, _id: { $in: [...ids] } }, { _id: 1 }, ids.length);
  }

  /** NEW plays of a company without priority that nobody owns with an id above `afterId`, in accept order. Index `company_plays`. */
  async newAfter(companyId: string, afterId: string, limit: number): Promise<PlayJob[]> {
    return this.jobs({ company_id: companyId, _id: { $gt: afterId }, priority: 0, ...NEW_UNOWNED }, limit);
  }

  /**
   * NEW plays of a company that nobody owns with a priority above or below 0: by priority, then in accept order. Indexes
   * `waiting_above` and `waiting_below`.
   */
  async prioritized(companyId: string, side: 'above' | 'below', limit: number): Promise<PlayJob[]> {
    const priority = side === 'above' ? { $gt: 0 } : { $lt: 0 };
    return this.jobs({ company_id: companyId, priority, ...NEW_UNOWNED }, limit, { priority: -1, _id: 1 });
  }

  /** Of these plays of a company, those that are NEW and nobody owns: `silent`, the ones without a sign of life since `until`. */
  async newAmong(
    companyId: string,
    ids: readonly string[],
    until: Date,
  ): Promise<{ readonly young: PlayJob[]; readonly silent: PlayJob[] }> {
    const among = { company_id: companyId, _id: { $in: [...ids] }, ...NEW_UNOWNED };
    const { silent = [], young = [] } = Object.groupBy(await this.open(among, { _id: 1 }, ids.length), ({ beatAt }) =>
      beatAt !== undefined && beatAt <= until ? 'silent' : 'young',
    );
    return { young: young.map(jobOf), silent: silent.map(jobOf) };
  }

  /** Plays of a flow that wait for their admission, the first ones: by priority, then in accept order. Index `queued`. */
  async queued({ companyId, flowId }: FlowKey, limit: number): Promise<OpenPlay[]> {
    return this.open(
      { company_id: companyId, flowId, queued: true, state: 'DEFERRED' },
      { priority: -1, _id: 1 },
      limit,
    );
  }

  /** The next flow, in order of company and id, that has plays which wait for their admission. Index `queued`. */
  async nextWithQueue(after: FlowKey | null): Promise<FlowKey | null> {
    const behind = after && {
      $or: [{ company_id: { $gt: after.companyId } }, { company_id: after.companyId, flowId: { $gt: after.flowId } }],
    };
    const found = await this.plays.findOne({ queued: true, ...behind } as mongo.Filter<Play>, {
      projection: { company_id: 1, flowId: 1 },
      sort: { company_id: 1, flowId: 1 },
      hint: 'queued',
    });
    return found && { companyId: found.company_id, flowId: found.flowId };
  }

  /** How many plays of a company wait for their admission, counted up to `most`. Index `queued`. */
  async countQueued(companyId: string, most: number): Promise<number> {
    return this.plays.countDocuments(
      { company_id: companyId, queued: true },
      {
        limit: most,
        hint: 'queued',
      },
    );
  }

  /** Raises those that are still as a first ring would have found them; gives the jobs to ring for instead. */
  async raise(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]> {
    const open = await this.byIds(jobs.map((job) => job.playId));
    const unowned = open.filter((play) => play.owner === undefined && (play.state === 'NEW' || play.state === 'RUN'));
    const { written } = await this.writes.together(unowned.map((play) => ({ play, write: raiseWrite(play) })));
    return written;
  }

  /** Writes each by itself: exactly those that this process wrote are known. */
  writeEach(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    return this.writes.each(changes);
  }

  /** Writes all in one command, for changes that another process may make just so: who made one is not known then. */
  writeTogether(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    return this.writes.together(changes);
  }

  private async jobs(filter: object, limit: number, sort: Record<string, 1 | -1> = { _id: 1 }): Promise<PlayJob[]> {
    const found = await this.plays
      .find(filter, {
        projection: { company_id: 1, flowId: 1, epoch: 1 },
        sort,
        limit,
        batchSize: limit + 1,
      })
      .toArray();
    return found.map(jobOf);
  }

  private async open(filter: object, sort: Record<string, 1 | -1>, limit: number): Promise<OpenPlay[]> {
    return this.plays.find(filter as mongo.Filter<Play>, { projection: OPEN_FIELDS, sort, limit }).toArray();
  }
}

function but(except: readonly string[]): object {
  return except.length === 0 ? {} : { _id: { $nin: [...except] } };
}
