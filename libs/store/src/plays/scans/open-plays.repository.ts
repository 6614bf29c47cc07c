import { FINAL_STATES, type PlayState } from '@weft/contracts';
import type { OpenPlay, Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope } from '../../scope.js';
import { OpenPlayWrites, type OpenPlayChange, type WriteOutcomes } from '../write/open-play-writes.js';
import { DUE, dueUntil, PLAYS, READY, UNBEGUN_STATES, WAITS_FOR_ROOM } from '../play.schema.js';
import { HAS_WAITS } from '../wait-fields.js';

/** Where a walk by heartbeat has come to. */
export interface HeartbeatMark {
  readonly heartbeatAt: Date;
  readonly id: string;
}

export interface SilentPage {
  readonly plays: readonly OpenPlay[];
  /** All up to here were looked at; null: no play was there. */
  readonly reached: HeartbeatMark | null;
  readonly isLast: boolean;
}

/** Plays that one page of a walk over owners looks at on the server, by their keys and for their owner. */
const LOOKED_AT = 5_000;
const RESTING_STATES: readonly PlayState[] = ['WAIT', 'DEFERRED', 'ON_HOLD'];
const OLDEST_FIRST = { heartbeatAt: 1, _id: 1 } as const;

/** Each of them is small: a page of plays is, too, whatever the plays hold. */
export const OPEN_FIELDS = {
  company_id: 1,
  flowId: 1,
  state: 1,
  epoch: 1,
  seq: 1,
  cursor: 1,
  owner: 1,
  heartbeatAt: 1,
  dueAt: 1,
  crashes: 1,
  priority: 1,
  waits: HAS_WAITS,
  ready: 1,
  lane: 1,
  laneStops: 1,
  limitKey: 1,
  queues: 1,
  turns: 1,
  requestId: 1,
  notAfter: 1,
} as const;

/** Plays that have not ended, over all companies: what the reconciler walks (docs/protocol.md §6) and the windows are filled from. */
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
   * Open plays without a heartbeat since `until`, oldest first, a page from `after` on (exclusive by time and id), except
   * those that wait for room in their windows. Index `silent`.
   */
  async silent(after: HeartbeatMark | null, until: Date, limit: number): Promise<SilentPage> {
    const between = silentBetween(after, until);
    const plays = await this.open({ ...between, ready: { $ne: true } }, OLDEST_FIRST, limit);
    return { plays, reached: markOf(plays.at(-1)), isLast: plays.length < limit };
  }

  /**
   * The same of plays that a worker has. The others, of which a backlog may have a million, stay in MongoDB: a page passes over up to
   * `lookedAt` of them.
   */
  async silentOwned(after: HeartbeatMark | null, until: Date, lookedAt = LOOKED_AT): Promise<SilentPage> {
    const between = silentBetween(after, until);
    const newest = await this.markIn(between, { heartbeatAt: -1, _id: -1 });
    if (!newest) return { plays: [], reached: null, isLast: true };
    const end = await this.markIn(between, OLDEST_FIRST, lookedAt - 1);
    const reached = end ?? newest;
    // those of the same millisecond that come after it may be seen twice
    const owned = { ...silentBetween(after, reached.heartbeatAt), owner: { $exists: true } };
    const plays = await this.open(owned, OLDEST_FIRST, lookedAt);
    return { plays, reached, isLast: end === null };
  }

  /**
   * DEFERRED and WAIT plays whose time has come, company by company, each in the order in which its plays go on: by priority,
   * then by time. Index `company_due`, which has all that are delayed: it is read only when something is due.
   *
   * @param companies which: all, from the first one that has such plays; those from this one on; those after it
   * @param except plays that are left out
   */
  async due(
    until: Date,
    limit: number,
    companies: { readonly from: string } | { readonly behind: string } | null = null,
    except: readonly string[] = [],
  ): Promise<OpenPlay[]> {
    if (companies === null && !(await this.isAnyDue(until, except))) return [];
    const which = companies && 'from' in companies ? { $gte: companies.from } : { $gt: companies?.behind ?? '' };
    const filter = { company_id: which, ...dueUntil(until), ...but(except) };
    return this.open(filter, { company_id: 1, priority: -1, dueAt: 1 }, limit);
  }

  /** The same of one company. */
  async dueOf(companyId: string, until: Date, limit: number): Promise<OpenPlay[]> {
    return this.open({ company_id: companyId, ...dueUntil(until) }, { priority: -1, dueAt: 1 }, limit);
  }

  /** How many NEW plays of a company wait for room in its window, counted up to `most`. Index `ready`. */
  async countWaiting(companyId: string, most: number): Promise<number> {
    const waiting = { ...WAITS_FOR_ROOM, company_id: companyId } as mongo.Filter<Play>;
    return this.plays.countDocuments(waiting, { limit: most, hint: READY });
  }

  /** How many plays of a company are due and do not go on yet, counted up to `most`. Index `company_due`. */
  async countDue(companyId: string, now: Date, most: number): Promise<number> {
    return this.countDelayed({ company_id: companyId, ...dueUntil(now) }, most);
  }

  /** How many plays of a company are delayed, counted up to `most`. Index `company_due`. */
  async countNotYetDue(companyId: string, now: Date, most: number): Promise<number> {
    return this.countDelayed({ company_id: companyId, state: 'DEFERRED', dueAt: { $gt: now } }, most);
  }

  /** How many plays of a company are WAIT, DEFERRED or ON_HOLD, each counted up to `most`. Index `company_states`. */
  async countResting(company_id: string, most: number): Promise<number> {
    const options = { limit: most, hint: 'company_states' } as const;
    // one state after the other: for several at once MongoDB would read the plays
    const counts = RESTING_STATES.map((state) => this.plays.countDocuments({ company_id, state }, options));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** Open plays whose time limit is over, but these. Index `deadline`. */
  async outOfTime(until: Date, limit: number, except: readonly string[] = []): Promise<OpenPlay[]> {
    return this.open({ ...outOfTimeBy(until), ...but(except) }, { deadlineAt: 1 }, limit);
  }

  /** Plays that should have begun by then, and that no worker has claimed, but these. Index `not_after`. */
  async tooLate(until: Date, limit: number, except: readonly string[] = []): Promise<OpenPlay[]> {
    return this.open({ ...tooLateBy(until), ...but(except) }, { notAfter: 1 }, limit);
  }

  /** @param companyId where all of them are known to be */
  async byIds(ids: readonly string[], companyId?: string): Promise<OpenPlay[]> {
    const where = companyId === undefined ? {} : { company_id: companyId };
    return ids.length === 0 ? [] : this.open({ ...where, _id: { $in: [...ids] } }, { _id: 1 }, ids.length);
  }

  /** Writes each play by itself: exactly those that this process wrote are known. */
  writeEach(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    return this.writes.each(changes);
  }

  /**
   * Writes all plays in one command, for changes that another process may make identically: it is not known then which
   * process wrote a play.
   */
  writeTogether(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    return this.writes.together(changes);
  }

  /** Over all companies: one key says that nothing is due, whatever rests. */
  private async isAnyDue(until: Date, except: readonly string[]): Promise<boolean> {
    const filter = { ...dueUntil(until), ...but(except) } as mongo.Filter<Play>;
    return (await this.plays.findOne(filter, { projection: { _id: 1 }, hint: DUE })) !== null;
  }

  /** Read from keys of the index only. */
  private async markIn(between: object, sort: mongo.Sort, skip = 0): Promise<HeartbeatMark | null> {
    const projection = { _id: 1, heartbeatAt: 1 };
    const filter = between as mongo.Filter<Play>;
    return markOf((await this.plays.findOne(filter, { projection, sort, skip, hint: 'silent' })) ?? undefined);
  }

  private countDelayed(filter: object, most: number): Promise<number> {
    return this.plays.countDocuments(filter, { limit: most, hint: 'company_due' });
  }

  private async open(filter: object, sort: Record<string, 1 | -1>, limit: number): Promise<OpenPlay[]> {
    return this.plays.find(filter as mongo.Filter<Play>, { projection: OPEN_FIELDS, sort, limit }).toArray();
  }
}

export function outOfTimeBy(until: Date): object {
  return { deadlineAt: { $lte: until }, state: { $nin: [...FINAL_STATES] } };
}

export function tooLateBy(until: Date): object {
  return { notAfter: { $lt: until }, state: { $in: [...UNBEGUN_STATES] }, owner: { $exists: false } };
}

function silentBetween(after: HeartbeatMark | null, until: Date): object {
  if (!after) return { heartbeatAt: { $lte: until } };
  const { heartbeatAt, id } = after;
  return { $or: [{ heartbeatAt: { $gt: heartbeatAt, $lte: until } }, { heartbeatAt, _id: { $gt: id } }] };
}

function markOf(play: Pick<OpenPlay, '_id' | 'heartbeatAt'> | undefined): HeartbeatMark | null {
  return play?.heartbeatAt ? { heartbeatAt: play.heartbeatAt, id: play._id } : null;
}

function but(except: readonly string[]): object {
  return except.length === 0 ? {} : { _id: { $nin: [...except] } };
}
