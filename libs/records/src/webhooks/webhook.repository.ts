import type { mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { WEBHOOK_DELIVERIES, type DeliveryDocument } from './webhook-delivery.schema.js';
import { WEBHOOK_OUTBOXES, type OutboxDocument } from './webhook-outbox.schema.js';
import { WEBHOOK_REPLAYS, type ReplayDocument } from './webhook-replay.schema.js';
import { WEBHOOKS, type WebhookDocument } from './webhook.schema.js';

/** What is deleted of a deleted endpoint at once, and how often in one call: others are not to wait for it. */
const PORTION = 1_000;
const PORTIONS = 5;

/** Endpoints of webhooks. Every change is one transaction with its audit entry. */
export class WebhookRepository {
  constructor(private readonly mongo: Mongo) {}

  find({ companyId }: TenantScope, id: string): Promise<WebhookDocument | null> {
    return this.webhooks().findOne({ _id: id, company_id: companyId });
  }

  list({ companyId }: TenantScope, page: PageRequest): Promise<PageOf<WebhookDocument>> {
    return findPage<WebhookDocument>(this.webhooks(), { company_id: companyId }, page, {});
  }

  /** All of a company: there are few. */
  all({ companyId }: TenantScope): Promise<WebhookDocument[]> {
    return this.webhooks().find({ company_id: companyId }).sort({ _id: 1 }).toArray();
  }

  /** False when the company has `limit` endpoints already: nothing was written then. */
  async insert(
    { companyId }: TenantScope,
    webhook: WebhookDocument,
    limit: number,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    if (webhook.company_id !== companyId) throw new TypeError('a webhook of another company cannot be made here');
    const outboxes = this.outboxes();
    const start = { next_batch: webhook.from_batch, audit_to: webhook.created_at };
    // what all endpoints of a company write: of two at once, one sees the other
    await outboxes.updateOne({ _id: companyId }, { $setOnInsert: start }, { upsert: true });
    return this.mongo.transaction(async (session) => {
      await outboxes.updateOne({ _id: companyId }, { $inc: { made: 1 } }, { session });
      const count = await this.webhooks().countDocuments({ company_id: companyId }, { session, limit });
      if (count >= limit) return false;
      await this.webhooks().insertOne(webhook, { session });
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False when it is not there, or `expected` does not hold any more. */
  async update(
    { companyId }: TenantScope,
    id: string,
    fields: Partial<Omit<WebhookDocument, '_id' | 'company_id'>>,
    entry: AuditEntryInput,
    expected: mongo.Filter<WebhookDocument> = {},
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.webhooks().updateOne(
        { ...expected, _id: id, company_id: companyId },
        { $set: fields },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False when it is not there. The scheduler that has the company deletes its deliveries: there may be very many. */
  async remove({ companyId }: TenantScope, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.webhooks().deleteOne({ _id: id, company_id: companyId }, { session });
      if (deletedCount === 0) return false;
      await this.outboxes().updateOne({ _id: companyId }, { $addToSet: { removed: id } }, { session });
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * Deletes deliveries and replays of those of these endpoints that were deleted, some thousands of them.
   *
   * @returns false: there may be more
   */
  async removeOrphans({ companyId }: TenantScope, webhookIds: readonly string[]): Promise<boolean> {
    if (webhookIds.length === 0) return true;
    const left = await this.webhooks()
      .find({ _id: { $in: [...webhookIds] }, company_id: companyId }, { projection: { _id: 1 } })
      .toArray();
    const there = new Set(left.map(({ _id }) => _id));
    const gone = webhookIds.filter((id) => !there.has(id));
    if (gone.length === 0) return true;
    const ofGone = { company_id: companyId, webhook_id: { $in: gone } };
    return (
      (await this.removeSome(this.mongo.collection<DeliveryDocument>(WEBHOOK_DELIVERIES), ofGone)) &&
      (await this.removeSome(this.mongo.collection<ReplayDocument>(WEBHOOK_REPLAYS), ofGone))
    );
  }

  /** Of attempts: the endpoint is judged by them. */
  async addFailures({ companyId }: TenantScope, id: string, failures: number): Promise<WebhookDocument | null> {
    const now = new Date(this.mongo.serverNow());
    return this.webhooks().findOneAndUpdate(
      { _id: id, company_id: companyId },
      [{ $set: { failures: { $add: ['$failures', failures] }, failing_since: { $ifNull: ['$failing_since', now] } } }],
      { returnDocument: 'after' },
    );
  }

  async clearFailures({ companyId }: TenantScope, id: string): Promise<void> {
    await this.webhooks().updateOne({ _id: id, company_id: companyId }, { $set: { failures: 0, failing_since: null } });
  }

  private async removeSome<T extends DeliveryDocument | ReplayDocument>(
    collection: mongo.Collection<T>,
    ofEndpoints: { readonly company_id: string; readonly webhook_id: { readonly $in: string[] } },
  ): Promise<boolean> {
    const filter = ofEndpoints as mongo.Filter<T>;
    for (let i = 0; i < PORTIONS; i += 1) {
      const page = await collection.find(filter, { projection: { _id: 1 }, limit: PORTION }).toArray();
      if (page.length > 0) await collection.deleteMany({ ...filter, _id: { $in: page.map(({ _id }) => _id) } });
      if (page.length < PORTION) return true;
    }
    return false;
  }

  private outboxes(): mongo.Collection<OutboxDocument> {
    return this.mongo.collection<OutboxDocument>(WEBHOOK_OUTBOXES);
  }

  private webhooks(): mongo.Collection<WebhookDocument> {
    return this.mongo.collection<WebhookDocument>(WEBHOOKS);
  }
}
