import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import { countWithin, TOTAL_CAP } from '../../driver/paging.js';
import type { TenantScope } from '../../scope.js';
import { IS_PARKED, PLAYS, WAITS_FOR_ROOM } from '../play.schema.js';
import { aheadIn } from './queues.js';

/** What decides the turn of a play. */
type InLine = Pick<Play, '_id' | 'priority' | 'dueAt'>;

/**
 * How many plays of the company come before a play, up to `TOTAL_CAP`; null: counting takes too long. Each question counts
 * ranges of an index, so a queue behind the play costs nothing.
 */
export class PlaysAheadRepository {
  constructor(private readonly mongo: Mongo) {}

  /** In a queue for turns. Index `queues`. */
  async inQueue(scope: TenantScope, { _id, priority }: InLine, queue: string): Promise<number | null> {
    const filter = { _id, company_id: scope.companyId };
    const play = await this.mongo.collection<Play>(PLAYS).findOne(filter, { projection: { order: 1 } });
    return this.sum(scope, aheadIn({ companyId: scope.companyId, queue }, { priority, order: play?.order }));
  }

  /** Of the plays that are due. Index `company_due`. */
  async due(scope: TenantScope, { priority, dueAt }: InLine, now: Date): Promise<number | null> {
    const before = dueAt && dueAt < now ? dueAt : now;
    return this.sum(scope, [
      { ...IS_PARKED, priority: { $gt: priority }, dueAt: { $lte: now } },
      { ...IS_PARKED, priority, dueAt: { $lt: before } },
    ]);
  }

  /** Of the NEW plays that wait for room in the window. Index `ready`. */
  async waiting(scope: TenantScope, { _id, priority }: InLine): Promise<number | null> {
    return this.sum(scope, [
      { ...WAITS_FOR_ROOM, priority: { $gt: priority } },
      { ...WAITS_FOR_ROOM, priority, _id: { $lt: _id } },
    ]);
  }

  private async sum(scope: TenantScope, filters: readonly mongo.Filter<Play>[]): Promise<number | null> {
    const plays = this.mongo.collection<Play>(PLAYS);
    const counts = await Promise.all(
      filters.map((filter) => countWithin<Play>(plays, { ...filter, company_id: scope.companyId })),
    );
    if (counts.some((count) => count === null)) return null;
    return Math.min(
      TOTAL_CAP,
      counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    );
  }
}
