import { BATCH_SIZE, cutoffOf, type RetentionRule } from '@weft/retention';
import type { mongo } from 'mongoose';
import { KV_STORES, type KvDocument } from '../flows/kv.schema.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

type Position = Pick<KvDocument, '_id' | 'updatedAt'>;

/**
 * Deletes entries of the key-value store that nobody has written for long. The default covers only entries that were set
 * with a time to live: what was set without one was meant to stay, and goes by a policy of the company alone. Entries that
 * have ended are not counted: MongoDB removes them by itself. Walks an index over the time of the last write.
 */
export class KvSweep implements Sweep {
  readonly collection = 'kv_stores';
  readonly scope = 'kv_stores';

  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
  ) {}

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const { found, decidedMs } = await timed(async () => {
      const due = await this.due();
      return (
        due &&
        this.kv()
          .find<Position>(due, { projection: { updatedAt: 1 } })
          .limit(BATCH_SIZE)
          .toArray()
      );
    });
    if (!found || found.length === 0) return { deleted: 0, more: false, decidedMs };
    const { mongo, company, states } = this.context;
    const deleted = await mongo.transaction(async (session) => {
      const ids = found.map(({ _id }) => _id);
      // one that was written meanwhile stays
      const still = { _id: { $in: ids }, company_id: company.companyId, updatedAt: { $lt: this.cutoff() } };
      const { deletedCount } = await this.kv().deleteMany(still, { session });
      await states.count(session, company, 'kv_stores', deletedCount);
      return deletedCount;
    });
    return { deleted, more: found.length === BATCH_SIZE, decidedMs };
  }

  async preview(): Promise<SweepPreview> {
    const all = await this.kv().countDocuments(this.covered());
    const due = await this.due();
    const wouldDelete = due ? await this.kv().countDocuments(due) : 0;
    return { wouldDelete, kept: all - wouldDelete };
  }

  /** Null: all are among the newest. */
  private async due(): Promise<mongo.Filter<KvDocument> | null> {
    const covered = this.covered();
    const [newest] = await this.kv()
      .find<Position>(covered, { projection: { updatedAt: 1 } })
      .sort({ updatedAt: -1, _id: -1 })
      .skip(this.rule.minEntries)
      .limit(1)
      .toArray();
    if (!newest) return null;
    const { updatedAt, _id } = newest;
    const older = [{ updatedAt: { $lt: updatedAt } }, { updatedAt, _id: { $lte: _id } }];
    return { $and: [covered, { updatedAt: { $lt: this.cutoff() } }, { $or: older }] };
  }

  private covered(): mongo.Filter<KvDocument> {
    const { company, now } = this.context;
    const withTtl = { expiresAt: { $gt: now } };
    const isDefault = this.rule.policyId === null;
    return { company_id: company.companyId, ...(isDefault ? withTtl : { $or: [{ expiresAt: null }, withTtl] }) };
  }

  private cutoff(): Date {
    return new Date(cutoffOf(this.rule, this.context.now.getTime()));
  }

  private kv(): mongo.Collection<KvDocument> {
    return this.context.mongo.collection<KvDocument>(KV_STORES);
  }
}
