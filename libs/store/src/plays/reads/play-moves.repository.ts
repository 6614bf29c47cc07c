import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope, TenantScope } from '../../scope.js';
import { youngSince, type LateMove } from './late-moves.js';
import { PLAYS } from '../play.schema.js';

/** How far a play is, and since when it is final. */
export type MovedPlay = Pick<Play, '_id' | 'company_id' | 'seq' | 'completedAt'>;

/** Where a page of moves ended; opaque to who reads them. */
export type MovesMark = { readonly young: string } | { readonly movedAt: Date; readonly id: string };

export interface MovesPage {
  readonly plays: readonly MovedPlay[];
  /** Null at the end. */
  readonly next: MovesMark | null;
}

type Stored = MovedPlay & LateMove;

const PROJECTION = { company_id: 1, seq: 1, completedAt: 1 } as const;

/** Finds plays by when they were accepted or last moved. Gives too many (young ones are there whether they moved or not), never too few. */
export class PlayMovesRepository {
  private readonly plays: mongo.Collection<Stored>;

  constructor(private readonly mongo: Mongo) {
    this.plays = mongo.collection<Stored>(PLAYS);
  }

  /** MongoDB's clock: what `since` is measured by. Whole epoch milliseconds. */
  serverNow(): number {
    return Math.floor(this.mongo.serverNow());
  }

  /**
   * Every play of these companies that moved since then (epoch ms); in no order, some twice.
   *
   * @param lateSinceMs for those that moved when they were not young any more
   */
  async movedSince(
    _scope: SystemScope,
    companyIds: readonly string[],
    sinceMs: number,
    lateSinceMs = sinceMs,
  ): Promise<MovedPlay[]> {
    const companies = { company_id: { $in: [...companyIds] } };
    const [young, late] = await Promise.all([
      this.plays
        .find<MovedPlay>({ ...companies, _id: { $gt: youngSince(sinceMs) } } as mongo.Filter<Stored>, {
          ...{ projection: PROJECTION, hint: 'company_plays', batchSize: 5_000 },
        })
        .toArray(),
      this.plays
        .find<MovedPlay>({ ...companies, movedAt: { $gte: new Date(lateSinceMs) } } as mongo.Filter<Stored>, {
          ...{ projection: PROJECTION, hint: 'late_moves', batchSize: 5_000 },
        })
        .toArray(),
    ]);
    return [...young, ...late];
  }

  /**
   * Page by page, for a reader that was disconnected: the plays of a company that moved since then, except those that were
   * final before.
   *
   * @param after null at first, then `next` of the page before
   */
  async pageMovedSince(
    { companyId }: TenantScope,
    sinceMs: number,
    after: MovesMark | null,
    size: number,
  ): Promise<MovesPage> {
    const since = new Date(sinceMs);
    const unsettled = { $or: [{ completedAt: { $exists: false } }, { completedAt: { $gte: since } }] };
    if (after === null || 'young' in after) {
      const from = after?.young ?? youngSince(sinceMs);
      const plays = await this.plays
        .find<MovedPlay>({ company_id: companyId, _id: { $gt: from }, ...unsettled } as mongo.Filter<Stored>, {
          projection: PROJECTION,
          hint: 'company_plays',
          sort: { _id: 1 },
          limit: size,
        })
        .toArray();
      const last = plays.at(-1);
      return { plays, next: last && plays.length === size ? { young: last._id } : { movedAt: since, id: '' } };
    }
    const { movedAt, id } = after;
    const old = { _id: { $lte: youngSince(sinceMs) } }; // the others were among the young
    const later = { $or: [{ movedAt: { $gt: movedAt } }, { movedAt, _id: { $gt: id } }] };
    const plays = await this.plays
      .find(
        { company_id: companyId, movedAt: { $gte: movedAt }, ...old, $and: [later, unsettled] } as mongo.Filter<Stored>,
        {
          ...{ projection: { ...PROJECTION, movedAt: 1 }, hint: 'late_moves' },
          ...{ sort: { movedAt: 1, _id: 1 }, limit: size },
        },
      )
      .toArray();
    const last = plays.at(-1);
    const next = last?.movedAt && plays.length === size ? { movedAt: last.movedAt, id: last._id } : null;
    return { plays, next };
  }
}
