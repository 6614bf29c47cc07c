import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import type { Mongo } from '../driver/mongo.js';
import { findPage, type PageOf, type PageRequest } from '../driver/paging.js';
import type { TenantScope } from '../scope.js';
import { WEBHOOK_REPLAYS, type ReplayDocument } from './webhook-replay.schema.js';

export class WebhookReplaysRepository {
  constructor(private readonly mongo: Mongo) {}

  async insert({ companyId }: TenantScope, replay: ReplayDocument, entry: AuditEntryInput): Promise<void> {
    if (replay.company_id !== companyId) throw new TypeError('a replay of another company cannot be made here');
    await this.mongo.transaction(async (session) => {
      await this.replays().insertOne(replay, { session });
      await recordAudit(session, entry);
    });
  }

  find({ companyId }: TenantScope, webhookId: string, id: string): Promise<ReplayDocument | null> {
    return this.replays().findOne({ _id: id, company_id: companyId, webhook_id: webhookId });
  }

  list({ companyId }: TenantScope, webhookId: string, page: PageRequest): Promise<PageOf<ReplayDocument>> {
    return findPage<ReplayDocument>(this.replays(), { company_id: companyId, webhook_id: webhookId }, page, {});
  }

  /** The oldest ones that are running. */
  running({ companyId }: TenantScope, limit: number): Promise<ReplayDocument[]> {
    return this.replays()
      .find({ company_id: companyId, state: 'running' }, { sort: { _id: 1 }, hint: 'running', limit })
      .toArray();
  }

  /** False when it is not where it was read any more. */
  async moveOn(
    { companyId }: TenantScope,
    { _id, position }: Pick<ReplayDocument, '_id' | 'position'>,
    fields: Partial<Pick<ReplayDocument, 'state' | 'position' | 'completedAt'>>,
    counts: Partial<Record<'matched' | 'changed' | 'skipped' | 'failed', number>> = {},
  ): Promise<boolean> {
    const { matchedCount } = await this.replays().updateOne(
      { _id, company_id: companyId, state: 'running', position },
      { $set: fields, $inc: counts },
    );
    return matchedCount === 1;
  }

  private replays(): mongo.Collection<ReplayDocument> {
    return this.mongo.collection<ReplayDocument>(WEBHOOK_REPLAYS);
  }
}
