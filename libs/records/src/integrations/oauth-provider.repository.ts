import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput, type Mongo, type SystemScope } from '@weft/store';
import { OAUTH_PROVIDERS, type OAuthProviderDocument } from './oauth-provider.schema.js';

/** Identity providers belong to the installation, so every method takes a `SystemScope`. */
export class OAuthProviderRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(_scope: SystemScope, id: string): Promise<OAuthProviderDocument | null> {
    return this.providers().findOne({ _id: id });
  }

  /** Newest first. */
  async list(_scope: SystemScope): Promise<OAuthProviderDocument[]> {
    return this.providers().find().sort({ _id: -1 }).toArray();
  }

  async insert(_scope: SystemScope, provider: OAuthProviderDocument, entry: AuditEntryInput): Promise<void> {
    await this.mongo.transaction(async (session) => {
      await this.providers().insertOne(provider, { session });
      await recordAudit(session, entry);
    });
  }

  /** False when it was changed or deleted since `before` was read; nothing was written then. */
  async replace(
    _scope: SystemScope,
    before: OAuthProviderDocument,
    after: OAuthProviderDocument,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    const { _id, ...fields } = after;
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.providers().updateOne(
        { _id, updated_at: before.updated_at },
        { $set: fields },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  async remove(_scope: SystemScope, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.providers().deleteOne({ _id: id }, { session });
      if (deletedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  private providers(): mongo.Collection<OAuthProviderDocument> {
    return this.mongo.collection<OAuthProviderDocument>(OAUTH_PROVIDERS);
  }
}
