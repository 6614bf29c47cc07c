import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { youngSince, type LateMove } from '../plays/reads/late-moves.js';
import { PLAYS } from '../plays/play.schema.js';
import type { TenantScope } from '../scope.js';

/** How many log entries a play has. */
export type ChangedPlay = Pick<Play, '_id' | 'flowId' | 'seq'>;

/** How far back a scan looks, epoch ms of MongoDB's clock. */
export interface ScanRange {
  /** Plays that were accepted since then, or a little earlier. */
  readonly youngMs: number;
  /** Older plays that moved since then. */
  readonly lateMs: number;
}

type Stored = ChangedPlay & LateMove & { readonly company_id: string };

const PROJECTION = { flowId: 1, seq: 1 } as const;

/** Reads which plays of a company may have changed; see `late-moves.ts` for why two indexes know it together. */
export class ChangedPlays {
  private readonly plays: mongo.Collection<Stored>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection(PLAYS);
  }

  /** All that were accepted, or have moved, since then: page by page, some twice. */
  async *since(scope: TenantScope, { youngMs, lateMs }: ScanRange, size: number): AsyncGenerator<ChangedPlay[]> {
    for (let after: string | null = youngSince(youngMs); after !== null;) {
      const page: ChangedPlay[] = await this.after(scope, after, size);
      if (page.length > 0) yield page;
      after = page.length === size ? (page.at(-1)?._id ?? null) : null;
    }
    yield* this.movedSince(scope, new Date(lateMs), size);
  }

  /** In the order of acceptance, whether they have changed or not. */
  after({ companyId }: TenantScope, after: string, size: number): Promise<ChangedPlay[]> {
    return this.plays
      .find<ChangedPlay>(
        { company_id: companyId, _id: { $gt: after } },
        { projection: PROJECTION, hint: 'company_plays', sort: { _id: 1 }, limit: size },
      )
      .toArray();
  }

  private async *movedSince({ companyId }: TenantScope, since: Date, size: number): AsyncGenerator<ChangedPlay[]> {
    let from: { movedAt: Date; id: string } | null = { movedAt: since, id: '' };
    while (from) {
      const { movedAt, id }: { movedAt: Date; id: string } = from;
      const page: Stored[] = await this.plays
        .find(
          {
            company_id: companyId,
            movedAt: { $gte: movedAt },
            $or: [{ movedAt: { $gt: movedAt } }, { movedAt, _id: { $gt: id } }],
          } as mongo.Filter<Stored>,
          {
            ...{ projection: { ...PROJECTION, movedAt: 1 }, hint: 'late_moves' },
            ...{ sort: { movedAt: 1, _id: 1 }, limit: size },
          },
        )
        .toArray();
      if (page.length > 0) yield page;
      const last = page.at(-1);
      from = last?.movedAt && page.length === size ? { movedAt: last.movedAt, id: last._id } : null;
    }
  }
}
