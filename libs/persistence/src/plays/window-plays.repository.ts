import type { PlayJob } from '@weft/contracts';
import { dueWrite, joinsQueueWhenDue, reissueWrite, type OpenPlay, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { isTimeOver } from '../driver/time-over.js';
import { OPEN_FIELDS, OpenPlaysRepository } from './open-plays.repository.js';
import { OpenPlayWrites, type OpenPlayChange, type WriteOutcomes } from './open-play-writes.js';
import { jobOf } from './play-keys.js';
import { PLAYS } from './play.schema.js';

/** A query that would take longer is divided. */
const LOOK_WITHIN_MS = 1_000;
const SCANNED_AT_ONCE = 20_000;

type Found = Pick<Play, '_id' | 'company_id' | 'flowId' | 'epoch'>;

export interface PrioritizedPlay extends PlayJob {
  readonly priority: number;
}

/** Some of the plays that wait, in accept order. */
export interface NewPlaysPage {
  readonly jobs: readonly PlayJob[];
  /** No other play waits up to this id. */
  readonly to: string;
  /** No other play waits after it, either. */
  readonly isLast: boolean;
  /** Most plays in this range do not wait. */
  readonly isSparse: boolean;
}

const NEW_UNOWNED = { state: 'NEW', owner: { $exists: false } } as const;

/** The plays of a company that wait outside its window, from which it is refilled. */
export class WindowPlaysRepository {
  private readonly plays: mongo.Collection<Play>;
  private readonly writes: OpenPlayWrites;
  private readonly openPlays: OpenPlaysRepository;

  constructor(
    mongo: Mongo,
    readonly scope: SystemScope,
  ) {
    this.plays = mongo.collection<Play>(PLAYS);
    this.openPlays = new OpenPlaysRepository(mongo, scope);
    this.writes = new OpenPlayWrites(mongo);
  }

  /**
   * NEW plays of a company without priority that nobody owns with an id above `afterId`, in accept order. Index
   * `company_plays`: plays that lie between them and do not wait are passed over one by one, up to a bound.
   *
   * @param isSparse the page before said so
   */
  async newAfter(companyId: string, afterId: string, limit: number, isSparse = false): Promise<NewPlaysPage> {
    if (isSparse) return this.scan(companyId, afterId, limit);
    const filter = { company_id: companyId, _id: { $gt: afterId }, priority: 0, ...NEW_UNOWNED };
    try {
      const found = await this.plays
        .find<Found>(filter as mongo.Filter<Play>, {
          projection: { company_id: 1, flowId: 1, epoch: 1 },
          ...{ sort: { _id: 1 }, limit, batchSize: limit + 1, maxTimeMS: LOOK_WITHIN_MS, hint: 'company_plays' },
        })
        .toArray();
      const jobs = found.map(jobOf);
      return { jobs, to: jobs.at(-1)?.playId ?? afterId, isLast: jobs.length < limit, isSparse: false };
    } catch (error) {
      if (!isTimeOver(error)) throw error;
      return this.scan(companyId, afterId, limit);
    }
  }

  /**
   * NEW plays of a company that nobody owns with a priority above or below 0, after this one: by priority, then in accept
   * order. Index `waiting_prioritized`.
   */
  async prioritized(
    companyId: string,
    side: 'above' | 'below',
    limit: number,
    after: PrioritizedPlay | null = null,
  ): Promise<PrioritizedPlay[]> {
    const priority = side === 'above' ? { $gt: 0 } : { $lt: 0 };
    const rest = after && {
      $or: [{ priority: { $lt: after.priority } }, { priority: after.priority, _id: { $gt: after.playId } }],
    };
    const found = await this.plays
      .find({ company_id: companyId, priority, ...NEW_UNOWNED, ...rest } as mongo.Filter<Play>, {
        projection: { company_id: 1, flowId: 1, epoch: 1, priority: 1 },
        sort: { priority: -1, _id: 1 },
        limit,
        batchSize: limit + 1,
      })
      .toArray();
    return found.map((play) => ({ ...jobOf(play), priority: play.priority }));
  }

  /** Of these plays of a company, those that are NEW and nobody owns: `silent`, the ones without a sign of life since `until`. */
  async newAmong(
    companyId: string,
    ids: readonly string[],
    until: Date,
  ): Promise<{ readonly young: PlayJob[]; readonly silent: PlayJob[] }> {
    const among = { company_id: companyId, _id: { $in: [...ids] }, ...NEW_UNOWNED };
    const { silent = [], young = [] } = Object.groupBy(await this.open(among), ({ heartbeatAt }) =>
      heartbeatAt !== undefined && heartbeatAt <= until ? 'silent' : 'young',
    );
    return { young: young.map(jobOf), silent: silent.map(jobOf) };
  }

  /** What of a company is due, and how each goes on: by priority, then by time. Those that join a queue are not among it. */
  async due(
    companyId: string,
    at: Date,
    limit: number,
  ): Promise<{ readonly changes: readonly OpenPlayChange[]; readonly isCut: boolean }> {
    const due = await this.openPlays.dueOf(companyId, at, limit);
    const changes = due.filter((play) => !joinsQueueWhenDue(play)).map((play) => ({ play, write: dueWrite(play, at) }));
    return { changes, isCut: due.length === limit };
  }

  /** Continues them. Another process may make the same writes. */
  goOn(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    return this.writes.together(changes);
  }

  /** Reissues those that are still as a first ring would have found them; returns the jobs to ring for instead. */
  async reissue(jobs: readonly PlayJob[]): Promise<readonly PlayJob[]> {
    const open = await this.open({ _id: { $in: jobs.map(({ playId }) => playId) } });
    const unowned = open.filter((play) => play.owner === undefined && (play.state === 'NEW' || play.state === 'RUN'));
    const { written } = await this.writes.together(unowned.map((play) => ({ play, write: reissueWrite(play) })));
    return written;
  }

  private async open(filter: object): Promise<OpenPlay[]> {
    return this.plays.find(filter as mongo.Filter<Play>, { projection: OPEN_FIELDS, sort: { _id: 1 } }).toArray();
  }

  /** The same as `newAfter` over this many plays of the company, in whatever state they are. */
  private async scan(company_id: string, afterId: string, limit: number): Promise<NewPlaysPage> {
    const isWaiting = {
      $and: [{ $eq: ['$state', 'NEW'] }, { $eq: ['$priority', 0] }, { $eq: [{ $type: '$owner' }, 'missing'] }],
    };
    const play = { _id: '$_id', company_id: '$company_id', flowId: '$flowId', epoch: '$epoch' };
    const [scanned] = await this.plays
      .aggregate<{ readonly to: string; readonly count: number; readonly waiting: readonly Found[] }>(
        [
          { $match: { company_id, _id: { $gt: afterId } } },
          { $sort: { _id: 1 } },
          { $limit: SCANNED_AT_ONCE },
          {
            $group: {
              _id: null,
              to: { $last: '$_id' },
              count: { $sum: 1 },
              waiting: { $push: { $cond: [isWaiting, play, '$$REMOVE'] } },
            },
          },
        ],
        { hint: 'company_plays' },
      )
      .toArray();
    if (!scanned) return { jobs: [], to: afterId, isLast: true, isSparse: false };
    const jobs = scanned.waiting.slice(0, limit).map(jobOf);
    const isCut = scanned.waiting.length > limit;
    return {
      jobs,
      to: isCut ? (jobs.at(-1)?.playId ?? afterId) : scanned.to,
      isLast: !isCut && scanned.count < SCANNED_AT_ONCE,
      isSparse: jobs.length < limit,
    };
  }
}
