import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { WEBHOOK_OUTBOXES, type OutboxDocument } from './webhook-outbox.schema.js';

export type OutboxLease = Pick<OutboxDocument, '_id' | 'owner' | 'beat'>;

/** Who delivers the webhooks of which company, and how far it is. */
export class WebhookOutboxesRepository {
  private readonly outboxes: mongo.Collection<OutboxDocument>;

  constructor(mongo: Mongo) {
    this.outboxes = mongo.collection(WEBHOOK_OUTBOXES);
  }

  find({ companyId }: TenantScope): Promise<OutboxDocument | null> {
    return this.outboxes.findOne({ _id: companyId });
  }

  /** All companies with endpoints, in the order of their ids. */
  leases(_scope: SystemScope, after: string, limit: number): Promise<OutboxLease[]> {
    return this.outboxes
      .find({ _id: { $gt: after } }, { projection: { owner: 1, beat: 1 }, sort: { _id: 1 }, limit })
      .toArray();
  }

  /** False when it is not as it was read any more: another process has it. */
  async take(_scope: SystemScope, { _id, owner, beat }: OutboxLease, by: string): Promise<boolean> {
    const { matchedCount } = await this.outboxes.updateOne(
      { _id, owner, beat },
      { $set: { owner: by }, $inc: { beat: 1 } },
    );
    return matchedCount === 1;
  }

  /** @returns those that are still this process's */
  async renew(_scope: SystemScope, companyIds: readonly string[], by: string): Promise<ReadonlySet<string>> {
    if (companyIds.length === 0) return new Set();
    const mine = { _id: { $in: [...companyIds] }, owner: by };
    await this.outboxes.updateMany(mine, { $inc: { beat: 1 } });
    const held = await this.outboxes.find(mine, { projection: { _id: 1 } }).toArray();
    return new Set(held.map(({ _id }) => _id));
  }

  async giveBack(_scope: SystemScope, companyIds: readonly string[], by: string): Promise<void> {
    await this.outboxes.updateMany(
      { _id: { $in: [...companyIds] }, owner: by },
      { $set: { owner: null }, $inc: { beat: 1 } },
    );
  }

  /** What was left of these endpoints is deleted. */
  async forgetRemoved({ companyId }: TenantScope, by: string, webhookIds: readonly string[]): Promise<void> {
    await this.outboxes.updateOne({ _id: companyId, owner: by }, { $pull: { removed: { $in: [...webhookIds] } } });
  }

  /** False when it is another process's by now: then that one goes on from where it was. */
  async moveOn(
    { companyId }: TenantScope,
    by: string,
    fields: Partial<Pick<OutboxDocument, 'next_batch' | 'audit_to' | 'behind'>>,
  ): Promise<boolean> {
    const { matchedCount } = await this.outboxes.updateOne({ _id: companyId, owner: by }, { $set: fields });
    return matchedCount === 1;
  }
}
