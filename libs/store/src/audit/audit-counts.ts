/**
 * The filter cache of the audit log (docs/operator-contract.md §4): how many entries a company has, by action and by kind of thing, up
 * to an id. What came after that id is counted when it is asked for, so a total is exact and never waits for the cache.
 */
import { lastIdAt } from '@weft/kernel';
import { Schema, type ClientSession, type mongo } from 'mongoose';
import { unlessTaken } from '../driver/duplicate-key.js';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { chainOf } from './audit-chain.schema.js';
import { AUDIT_LOGS, type AuditDocument } from './audit.schema.js';

export const AUDIT_COUNTS = 'audit_counts';

/** Longer than any transaction lives and than clocks differ: no entry with an earlier id can still appear. */
const SETTLED_MS = 5 * 60_000;
/** The record of how far the last pass has looked for companies with new entries. */
const PASS = 'pass';

export interface AuditCounts {
  readonly _id: string;
  readonly company_id: string | null;
  /** Entries with ids up to this one are counted; '' means that none is counted. */
  readonly through: string;
  readonly total: number;
  readonly byAction: Readonly<Record<string, number>>;
  readonly byResource: Readonly<Record<string, number>>;
  /** Incremented by each deletion of entries: a count that was made meanwhile is not stored. */
  readonly cuts: number;
}

export const auditCountsSchema = new Schema<AuditCounts>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, default: null },
    through: { type: String, required: true },
    // the record of the last pass has none of these
    total: Number,
    byAction: Schema.Types.Mixed,
    byResource: Schema.Types.Mixed,
    cuts: Number,
  },
  { versionKey: false, collection: AUDIT_COUNTS },
);

/** For a deletion, in its transaction. */
export async function forgetCounts(mongo: Mongo, companyId: string | null, session: ClientSession): Promise<void> {
  await mongo
    .collection<AuditCounts>(AUDIT_COUNTS)
    .updateOne(
      { _id: chainOf(companyId) },
      { $set: { ...NOTHING, company_id: companyId }, $inc: { cuts: 1 } },
      { upsert: true, session },
    );
}

const NOTHING = { through: '', total: 0, byAction: {}, byResource: {} } as const;

export class AuditCountsRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Null until the company was counted. */
  async find(companyId: string): Promise<AuditCounts | null> {
    const counts = await this.counts().findOne({ _id: chainOf(companyId) });
    return counts?.through ? counts : null;
  }

  /**
   * Continues counting where the last pass ended, for each company that has new entries or lost some.
   *
   * @returns counts that are kept now, over all companies
   */
  async refresh(_scope: SystemScope): Promise<number> {
    const now = this.mongo.serverNow();
    const through = lastIdAt(now - SETTLED_MS);
    await this.forgetFuture(lastIdAt(now));
    const pass = await this.passes().findOne({ _id: PASS });
    const since = { _id: { $gt: pass?.through ?? '', $lte: through } };
    const companies = new Set([
      ...(await this.entries().distinct('company_id', since)),
      ...(await this.counts().distinct('company_id', { through: '' })),
    ]);
    for (const companyId of companies) await this.countOn(companyId, through);
    await this.passes().updateOne({ _id: PASS }, { $max: { through } }, { upsert: true });
    return this.kept();
  }

  /** MongoDB's clock was set back, or its primary changed: new entries get ids that are counted already. */
  private async forgetFuture(now: string): Promise<void> {
    await this.counts().updateMany({ _id: { $ne: PASS }, through: { $gt: now } }, { $set: NOTHING, $inc: { cuts: 1 } });
    await this.passes().deleteOne({ _id: PASS, through: { $gt: now } });
  }

  private async countOn(companyId: string | null, through: string): Promise<void> {
    const _id = chainOf(companyId);
    const stored = await this.counts().findOne({ _id });
    const before = stored ?? { ...NOTHING, cuts: 0 };
    const rows = await this.entries()
      .aggregate<{ _id: { action: string; resource: string | null }; n: number }>([
        { $match: { company_id: companyId, _id: { $gt: before.through, $lte: through } } },
        { $group: { _id: { action: '$action_type', resource: '$resource_type' }, n: { $sum: 1 } } },
      ])
      .toArray();
    if (rows.length === 0 && before.through !== '') return;
    const [byAction, byResource] = [{ ...before.byAction }, { ...before.byResource }];
    let total = before.total;
    for (const { _id: of, n } of rows) {
      total += n;
      byAction[of.action] = (byAction[of.action] ?? 0) + n;
      if (of.resource !== null) byResource[of.resource] = (byResource[of.resource] ?? 0) + n;
    }
    const after = { company_id: companyId, through, total, byAction, byResource, cuts: before.cuts };
    if (stored) {
      // entries were deleted, or another process counted meanwhile: the next pass continues from there
      await this.counts().updateOne({ _id, through: before.through, cuts: before.cuts }, { $set: after });
      return;
    }
    await unlessTaken(this.counts().insertOne({ _id, ...after }));
  }

  private async kept(): Promise<number> {
    const size = (field: string) => ({ $size: { $objectToArray: field } });
    const [sum] = await this.counts()
      .aggregate<{ n: number }>([
        { $match: { through: { $gt: '' }, total: { $exists: true } } },
        { $group: { _id: null, n: { $sum: { $add: [1, size('$byAction'), size('$byResource')] } } } },
      ])
      .toArray();
    return sum?.n ?? 0;
  }

  private passes(): mongo.Collection<{ _id: string; through: string }> {
    return this.mongo.collection(AUDIT_COUNTS);
  }

  private counts(): mongo.Collection<AuditCounts> {
    return this.mongo.collection<AuditCounts>(AUDIT_COUNTS);
  }

  private entries(): mongo.Collection<AuditDocument> {
    return this.mongo.collection<AuditDocument>(AUDIT_LOGS);
  }
}
