import type { PlayJob } from '@weft/contracts';
import { dueWrite, joinsQueueWhenDue, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import type { SystemScope } from '../../scope.js';
import { OpenPlaysRepository } from './open-plays.repository.js';
import { OpenPlayWrites, type OpenPlayChange, type WriteOutcomes } from '../write/open-play-writes.js';
import { jobOf } from '../play-keys.js';
import { PLAYS, READY, WAITS_FOR_ROOM } from '../play.schema.js';

type Found = Pick<Play, '_id' | 'company_id' | 'flowId' | 'epoch' | 'priority'>;

/** The plays of a company that wait for room in its window, from which it is refilled. */
export class WindowPlaysRepository {
  private readonly plays: mongo.Collection<Play>;
  private readonly writes: OpenPlayWrites;
  private readonly openPlays: OpenPlaysRepository;

  constructor(
    private readonly mongo: Mongo,
    readonly scope: SystemScope,
  ) {
    this.plays = mongo.collection<Play>(PLAYS);
    this.openPlays = new OpenPlaysRepository(mongo, scope);
    this.writes = new OpenPlayWrites(mongo);
  }

  /** By priority, then in accept order. Index `ready`. */
  async waiting(companyId: string, limit: number): Promise<PlayJob[]> {
    const found = await this.plays
      .find<Found>({ ...WAITS_FOR_ROOM, company_id: companyId } as mongo.Filter<Play>, {
        projection: { company_id: 1, flowId: 1, epoch: 1 },
        ...{ sort: { priority: -1, _id: 1 }, limit, batchSize: limit + 1, hint: READY },
      })
      .toArray();
    return found.map(jobOf);
  }

  /** The companies that have plays which wait. Reads one key of index `ready` for each. */
  async companies(): Promise<string[]> {
    return this.plays.distinct('company_id', WAITS_FOR_ROOM as mongo.Filter<Play>);
  }

  /**
   * Has plays wait that were just accepted and found no room. One that something else has gone on with meanwhile stays as it
   * is: their process alone rings for them until they are marked, and does so no more.
   */
  async mark(jobs: readonly PlayJob[]): Promise<void> {
    const accepted = { state: 'NEW', epoch: 1, owner: { $exists: false } } as const;
    await this.plays.updateMany({ ...idsOf(jobs), ...accepted }, { $set: { ready: true } }, { writeConcern: MAJORITY });
  }

  /**
   * Removes the marks of plays that have got room, in one command.
   *
   * @returns those whose mark this call has removed: nobody else rings for them
   */
  async takeUp(companyId: string, jobs: readonly PlayJob[]): Promise<readonly PlayJob[]> {
    if (jobs.length === 0) return [];
    const heartbeatAt = new Date(this.mongo.serverNow());
    const among = { ...idsOf(jobs), company_id: companyId };
    const { matchedCount } = await this.plays.updateMany(
      { ...among, ...WAITS_FOR_ROOM },
      { $unset: { ready: 1 }, $set: { heartbeatAt } },
      { writeConcern: MAJORITY },
    );
    if (matchedCount === jobs.length) return jobs;
    if (matchedCount === 0) return [];
    // some are on hold, have ended, or were taken up by another refill, at another time
    const own = { ...among, state: 'NEW', ready: { $exists: false }, heartbeatAt } as const;
    const mine = await this.plays.find(own as mongo.Filter<Play>, { projection: { _id: 1 } }).toArray();
    // another one took some up in the same millisecond: whose they are is not known, and the reconciler rings for them
    if (mine.length > matchedCount) return [];
    const ids = new Set(mine.map(({ _id }) => _id));
    return jobs.filter(({ playId }) => ids.has(playId));
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
}

function idsOf(jobs: readonly PlayJob[]) {
  return { _id: { $in: jobs.map(({ playId }) => playId) } };
}
