import type { mongo } from 'mongoose';
import type { Look, Mongo, SystemScope, TenantScope } from '@weft/store';
import { WEBHOOK_OUTBOXES, type OutboxDocument } from './webhook-outbox.schema.js';

/** How far the webhooks of each company are. */
export class WebhookOutboxesRepository {
  private readonly outboxes: mongo.Collection<OutboxDocument>;

  constructor(mongo: Mongo) {
    this.outboxes = mongo.collection(WEBHOOK_OUTBOXES);
  }

  find({ companyId }: TenantScope): Promise<OutboxDocument | null> {
    return this.outboxes.findOne({ _id: companyId });
  }

  /** Whether any company has endpoints. */
  look(_scope: SystemScope): Look {
    return { collection: WEBHOOK_OUTBOXES, filter: { _id: { $gt: '' } } };
  }

  /** All companies with endpoints, in the order of their ids. */
  async companies(_scope: SystemScope, after: string, limit: number): Promise<string[]> {
    const found = await this.outboxes
      .find({ _id: { $gt: after } }, { projection: { _id: 1 }, sort: { _id: 1 }, limit })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** What was left of these endpoints is deleted. */
  async forgetRemoved({ companyId }: TenantScope, webhookIds: readonly string[]): Promise<void> {
    await this.outboxes.updateOne({ _id: companyId }, { $pull: { removed: { $in: [...webhookIds] } } });
  }

  /**
   * @param from where the company's position was when this process read it
   * @returns false when another process has moved it meanwhile: then that one goes on
   */
  async moveOn(
    { companyId }: TenantScope,
    from: Partial<Pick<OutboxDocument, 'next_batch' | 'audit_to'>>,
    fields: Partial<Pick<OutboxDocument, 'next_batch' | 'audit_to' | 'behind'>>,
  ): Promise<boolean> {
    const { matchedCount } = await this.outboxes.updateOne({ _id: companyId, ...from }, { $set: fields });
    return matchedCount === 1;
  }
}
