import type { mongo } from 'mongoose';
import { unlessTaken } from '../driver/duplicate-key.js';
import type { Mongo } from '../driver/mongo.js';
import { PLAYS } from '../plays/play.schema.js';
import type { TenantScope } from '../scope.js';
import { CHANGE_BATCHES, type ChangeBatchDocument, type PlayChangeRange } from './change-batch.schema.js';

/** A writer has read the log at most this long before it appends: so its number is taken, if it is behind. */
const TRIM_AFTER_MS = 3_600_000;

/**
 * The numbered changes of a company: ADR 66. A batch is inserted under the number after the last one that its writer knows, so
 * of two writers one is refused, and reads what the other has added before it tries again.
 */
export class ChangeLog {
  private readonly batches: mongo.Collection<ChangeBatchDocument>;
  private readonly plays: mongo.Collection<{ _id: string; company_id: string }>;

  constructor(private readonly mongo: Mongo) {
    this.batches = mongo.collection(CHANGE_BATCHES);
    this.plays = mongo.collection(PLAYS);
  }

  /** False when that number is taken: nothing was written. */
  append({ companyId }: TenantScope, batch: Pick<ChangeBatchDocument, 'n' | 'at' | 'plays'>): Promise<boolean> {
    return unlessTaken(this.batches.insertOne({ _id: idOf(companyId, batch.n), company_id: companyId, ...batch }));
  }

  /** From number `from` on, in order. */
  async read({ companyId }: TenantScope, from: number, limit: number): Promise<ChangeBatchDocument[]> {
    return this.batches.find({ company_id: companyId, n: { $gte: from } }, { sort: { n: 1 }, limit }).toArray();
  }

  /** The smallest number of a batch that was appended since then, or after one that was; null: none was. */
  async firstSince({ companyId }: TenantScope, since: Date): Promise<number | null> {
    const oldest = { sort: { at: 1 }, projection: { n: 1 } } as const;
    return (await this.batches.findOne({ company_id: companyId, at: { $gte: since } }, oldest))?.n ?? null;
  }

  /** The smallest and the largest number; null while the log is empty. */
  async bounds({ companyId }: TenantScope): Promise<{ readonly first: number; readonly last: number } | null> {
    const end = (order: 1 | -1) =>
      this.batches.findOne({ company_id: companyId }, { sort: { n: order }, projection: { n: 1 } });
    const [first, last] = await Promise.all([end(1), end(-1)]);
    return first && last ? { first: first.n, last: last.n } : null;
  }

  /** The smallest number of a batch with changes: the empty one, which ends the first walk, is never deleted. Null: no batch has changes. */
  async oldest({ companyId }: TenantScope): Promise<number | null> {
    const filter = { company_id: companyId, 'plays.0': { $exists: true } };
    return (await this.batches.findOne(filter, { sort: { n: 1 }, projection: { n: 1 } }))?.n ?? null;
  }

  /** How much of each of these plays is in the log: the number of its last entry. Plays of which nothing is are left out. */
  async positions({ companyId }: TenantScope, playIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (playIds.length === 0) return new Map();
    const isWanted = { $in: ['$$this.playId', { $literal: [...playIds] }] };
    const found = await this.batches
      .find<Pick<ChangeBatchDocument, 'plays'>>(
        { company_id: companyId, 'plays.playId': { $in: [...playIds] } },
        { projection: { plays: { $filter: { input: '$plays', cond: isWanted } } } },
      )
      .toArray();
    return positionsIn(found.flatMap(({ plays }) => plays));
  }

  /**
   * Deletes batches of this page that are older than an hour and whose plays are all deleted, but never the newest one: it has the
   * number that the next one follows.
   *
   * @param after number of the last batch of the page before
   * @returns the number after which the next page begins; null: that was the last page
   */
  async trim({ companyId }: TenantScope, after: number, size: number): Promise<number | null> {
    const page = await this.batches
      .find({ company_id: companyId, n: { $gt: after } }, { sort: { n: 1 }, limit: size + 1 })
      .toArray();
    const old = page.slice(0, -1);
    const before = this.mongo.serverNow() - TRIM_AFTER_MS;
    const ids = [...new Set(old.flatMap(({ plays }) => plays.map(({ playId }) => playId)))];
    const kept = await this.plays
      .find({ company_id: companyId, _id: { $in: ids } }, { projection: { _id: 1 } })
      .toArray();
    const alive = new Set(kept.map(({ _id }) => _id));
    // the empty one stays: it says to every writer that the first walk is over
    const dead = old.filter(
      ({ at, plays }) => at.getTime() < before && plays.length > 0 && !plays.some(({ playId }) => alive.has(playId)),
    );
    if (dead.length > 0) await this.batches.deleteMany({ _id: { $in: dead.map(({ _id }) => _id) } });
    return page.length > size ? (old.at(-1)?.n ?? null) : null;
  }
}

export function positionsIn(ranges: readonly PlayChangeRange[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const { playId, to } of ranges) positions.set(playId, Math.max(to, positions.get(playId) ?? 0));
  return positions;
}

function idOf(companyId: string, n: number): string {
  return `${companyId}.${String(n).padStart(12, '0')}`;
}
