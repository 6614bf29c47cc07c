import { randomBytes } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { CHANGE_FEEDS, type ChangeFeedDocument } from './change-feed.schema.js';

export class ChangeFeedsRepository {
  private readonly feeds: mongo.Collection<ChangeFeedDocument>;

  constructor(private readonly mongo: Mongo) {
    this.feeds = mongo.collection(CHANGE_FEEDS);
  }

  find({ companyId }: TenantScope): Promise<ChangeFeedDocument | null> {
    return this.feeds.findOne({ _id: companyId });
  }

  /** The feed of the company, made if it has none yet, and marked as used now. */
  async use({ companyId }: TenantScope): Promise<ChangeFeedDocument> {
    const now = new Date(this.mongo.serverNow());
    const found = await this.feeds.findOneAndUpdate(
      { _id: companyId },
      {
        $set: { usedAt: now },
        $setOnInsert: { tag: newTag(), scannedTo: now, walkedTo: '', complete: false },
      },
      { upsert: true, returnDocument: 'after' },
    );
    if (!found) throw new Error('an upsert gave no document');
    return found;
  }

  async remember(
    { companyId }: TenantScope,
    fields: Partial<Pick<ChangeFeedDocument, 'scannedTo' | 'walkedTo' | 'complete'>>,
  ): Promise<void> {
    await this.feeds.updateOne({ _id: companyId }, { $set: fields });
  }

  /** Ends all cursors. */
  async renewTags(_scope: SystemScope): Promise<void> {
    for await (const { _id } of this.feeds.find({}, { projection: { _id: 1 } })) {
      await this.feeds.updateOne({ _id }, { $set: { tag: newTag() } });
    }
  }

  /** Companies whose feeds were used since then, in the order of their ids. */
  async usedSince(_scope: SystemScope, since: Date, after: string, limit: number): Promise<string[]> {
    const found = await this.feeds
      .find({ _id: { $gt: after }, usedAt: { $gte: since } }, { projection: { _id: 1 }, sort: { _id: 1 }, limit })
      .toArray();
    return found.map(({ _id }) => _id);
  }
}

function newTag(): string {
  return randomBytes(3).toString('hex');
}
