import { BATCH_SIZE, cutoffOf, type RetentionRule } from '@weft/retention';
import type { mongo } from 'mongoose';
import { KV_STORES, type KvDocument } from '../kv/kv.schema.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

type Position = Pick<KvDocument, '_id' | 'updatedAt'>;

/** Deletes entries of the key-value store that nobody has written for long. Walks the index over the time of the last write. */
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
    const all = await this.kv().countDocuments({ company_id: this.context.company.companyId });
    const due = await this.due();
    const wouldDelete = due ? await this.kv().countDocuments(due) : 0;
    return { wouldDelete, kept: all - wouldDelete };
  }

  /** Null: all are among the newest. */
  private async due(): Promise<mongo.Filter<KvDocument> | null> {
    const company_id = this.context.company.companyId;
    const [newest] = await this.kv()
      .find<Position>({ company_id }, { projection: { updatedAt: 1 } })
      .sort({ updatedAt: -1, _id: -1 })
      .skip(this.rule.minEntries)
      .limit(1)
      .toArray();
    if (!newest) return null;
    const { updatedAt, _id } = newest;
    const behind = [{ updatedAt: { $lt: updatedAt } }, { updatedAt, _id: { $lte: _id } }];
    return { company_id, $and: [{ updatedAt: { $lt: this.cutoff() } }, { $or: behind }] };
  }

  private cutoff(): Date {
    return new Date(cutoffOf(this.rule, this.context.now.getTime()));
  }

  private kv(): mongo.Collection<KvDocument> {
    return this.context.mongo.collection<KvDocument>(KV_STORES);
  }
}
