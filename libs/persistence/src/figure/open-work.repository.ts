import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import { PLAYS } from '../play/play.schema.js';
import { SystemScope, type TenantScope } from '../scope.js';

/** A play that is rung and has not ended. */
export type OpenWork = Pick<Play, '_id' | 'state' | 'owner' | 'beatAt' | 'createdAt'>;

/** Plays that wait for their admission. */
export interface QueuedWork {
  readonly count: number;
  /** The first one that was accepted; null when none waits. */
  readonly oldestId: string | null;
}

/** What is to be done now, asked for by keys and small indexes: never by a walk over plays. */
export class OpenWorkRepository {
  constructor(private readonly mongo: Mongo) {}

  /** @param ids no more than a window holds */
  async among(scope: TenantScope, ids: readonly string[]): Promise<OpenWork[]> {
    if (ids.length === 0) return [];
    return this.plays()
      .find<OpenWork>(
        { _id: { $in: [...ids] }, company_id: scope.companyId, state: { $in: ['NEW', 'RUN'] } },
        { projection: { state: 1, owner: 1, beatAt: 1, createdAt: 1 }, batchSize: ids.length + 1 },
      )
      .toArray();
  }

  /** Plays of limited flows that wait for their admission, counted up to `most`. Covered by index `queued`. */
  async queued(scope: TenantScope | SystemScope, most: number): Promise<QueuedWork> {
    const own = scope instanceof SystemScope ? {} : { company_id: scope.companyId };
    const [found] = await this.plays()
      .aggregate<QueuedWork>(
        [
          { $match: { ...own, queued: true } },
          { $limit: most },
          { $group: { _id: null, count: { $sum: 1 }, oldestId: { $min: '$_id' } } },
        ],
        { hint: 'queued' },
      )
      .toArray();
    return { count: found?.count ?? 0, oldestId: found?.oldestId ?? null };
  }

  private plays(): mongo.Collection<Play> {
    return this.mongo.collection<Play>(PLAYS);
  }
}
