import type { mongo } from 'mongoose';
import {
  recordAudit,
  takeTurn,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { WEBHOOK_REPLAYS, type ReplayDocument } from './webhook-replay.schema.js';

export class WebhookReplaysRepository {
  constructor(private readonly mongo: Mongo) {}

  /** False when the company has `most` running ones already: nothing was written then. */
  async insert(
    { companyId }: TenantScope,
    replay: ReplayDocument,
    most: number,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    if (replay.company_id !== companyId) throw new TypeError('a replay of another company cannot be made here');
    return this.mongo.transaction(async (session) => {
      await takeTurn(session, this.mongo, COMPANIES, { _id: companyId });
      const running = { company_id: companyId, state: 'running' as const };
      if ((await this.replays().countDocuments(running, { session, limit: most })) >= most) return false;
      await this.replays().insertOne(replay, { session });
      await recordAudit(session, entry);
      return true;
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
