import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import type { TenantScope } from '../scope.js';
import { PLAYS } from './play.schema.js';

export interface WaitingFilter {
  /** Entries of `waitsFor`; one of them is enough. */
  readonly waitsFor: readonly string[];
  /** Only plays that this user started. */
  readonly triggeredBy?: string;
}

/** Plays that wait for something from outside. */
export class WaitingPlaysRepository {
  constructor(private readonly mongo: Mongo) {}

  /** In order of id, from behind `after` on; without arguments and results. Index `waits_for`. */
  async find(scope: TenantScope, filter: WaitingFilter, after: string, limit: number): Promise<Play[]> {
    const { waitsFor, triggeredBy } = filter;
    const query = {
      company_id: scope.companyId,
      waitsFor: { $in: [...waitsFor] },
      ...(triggeredBy !== undefined && { triggeredBy }),
      _id: { $gt: after },
    } as mongo.Filter<Play>;
    return this.mongo
      .collection<Play>(PLAYS)
      .find(query, { projection: { args: 0, 'layers.out': 0 }, sort: { _id: 1 }, limit })
      .toArray();
  }
}
