import type { mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import { API_KEYS, type ApiKeyDocument } from './api-key.schema.js';

export class ApiKeyRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, id: string): Promise<ApiKeyDocument | null> {
    return this.keys().findOne({ _id: id, company_id: scope.companyId });
  }

  /** Those of the ids that exist, in no order, of whichever companies. */
  async findMany(_scope: SystemScope, ids: readonly string[]): Promise<ApiKeyDocument[]> {
    return this.keys()
      .find({ _id: { $in: [...ids] } })
      .toArray();
  }

  async list(
    scope: TenantScope,
    filter: { readonly userId?: string },
    page: PageRequest,
  ): Promise<PageOf<ApiKeyDocument>> {
    const wanted = { company_id: scope.companyId, ...(filter.userId !== undefined && { user_id: filter.userId }) };
    return findPage<ApiKeyDocument>(this.keys(), wanted, page, {});
  }

  async insert(scope: TenantScope, key: ApiKeyDocument, entry: AuditEntryInput): Promise<void> {
    if (key.company_id !== scope.companyId) throw new TypeError('a key of another company cannot be made here');
    await this.mongo.transaction(async (session) => {
      await this.keys().insertOne(key, { session });
      await recordAudit(session, entry);
    });
  }

  /** Revokes for good; `entry` is written only by the call that did. False when the key was revoked before or is not there. */
  async revoke(scope: TenantScope, id: string, at: Date, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.keys().updateOne(
        { _id: id, company_id: scope.companyId, revoked_at: null },
        { $set: { revoked_at: at } },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  async recordUse(scope: TenantScope, id: string, at: Date): Promise<void> {
    await this.keys().updateOne({ _id: id, company_id: scope.companyId }, { $max: { last_used_at: at } });
  }

  private keys(): mongo.Collection<ApiKeyDocument> {
    return this.mongo.collection<ApiKeyDocument>(API_KEYS);
  }
}
