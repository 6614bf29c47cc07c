import type { RetentionPolicy } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, takeTurn, Mongo, type AuditEntryInput, type TenantScope } from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { RETENTION_POLICIES, type RetentionPolicyDocument } from './retention-policy.schema.js';

/** Retention policies; every change with its audit entry. */
export class RetentionPolicyRepository {
  constructor(private readonly mongo: Mongo) {}

  /** All of the company, newest first: a company has few. */
  async list(scope: TenantScope): Promise<RetentionPolicyDocument[]> {
    return this.policies().find({ company_id: scope.companyId }).sort({ _id: -1 }).toArray();
  }

  async find(scope: TenantScope, id: string): Promise<RetentionPolicyDocument | null> {
    return this.policies().findOne({ _id: id, company_id: scope.companyId });
  }

  /** @returns false when the company has `limit` policies already; nothing was written then */
  async insert(
    scope: TenantScope,
    policy: RetentionPolicyDocument,
    limit: number,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    if (policy.company_id !== scope.companyId)
      throw new TypeError('a policy of another company cannot be written here');
    return this.mongo.transaction(async (session) => {
      await takeTurn(session, this.mongo, COMPANIES, { _id: scope.companyId });
      const count = await this.policies().countDocuments({ company_id: scope.companyId }, { session, limit });
      if (count >= limit) return false;
      await this.policies().insertOne(policy, { session });
      await recordAudit(session, entry);
      return true;
    });
  }

  /** Puts `after` in the place of what was read. False: it has changed since, or is gone; nothing was written then. */
  async replace(
    scope: TenantScope,
    before: RetentionPolicyDocument,
    after: RetentionPolicyDocument,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { _id, updated_at } = before;
      const { _id: _, ...body } = after;
      const same = { _id, company_id: scope.companyId, updated_at };
      const { matchedCount } = await this.policies().replaceOne(same, body, { session });
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False: the company has no such policy. */
  async remove(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.policies().deleteOne({ _id: id, company_id: scope.companyId }, { session });
      if (deletedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  private policies(): mongo.Collection<RetentionPolicyDocument> {
    return this.mongo.collection<RetentionPolicyDocument>(RETENTION_POLICIES);
  }
}

/** In the transaction that erases what the policies are about: they go along, each with its entry. */
export async function removePoliciesOf(
  session: ClientSession,
  scope: TenantScope,
  of: { readonly flow_id: string } | { readonly flow_group_id: string },
  by: Partial<AuditEntryInput>,
): Promise<void> {
  const policies = Mongo.of(session).collection<RetentionPolicyDocument>(RETENTION_POLICIES);
  const found = await policies.find({ company_id: scope.companyId, ...of }, { session }).toArray();
  if (found.length === 0) return;
  await policies.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
  await recordAudit(
    session,
    ...found.map((policy) => ({
      ...by,
      action_type: 'policy_deleted' as const,
      collection: RETENTION_POLICIES,
      company_id: scope.companyId,
      resource_type: 'retention_policy',
      resource_id: policy._id,
    })),
  );
}

/** As the rules read it. */
export function toRetentionPolicy(policy: RetentionPolicyDocument): RetentionPolicy {
  return {
    id: policy._id,
    scope: policy.scope,
    flowId: policy.flow_id,
    flowGroupId: policy.flow_group_id,
    cadence: policy.cadence,
    minEntries: policy.min_entries,
    enforcedMinimum: policy.enforced_minimum,
    enabled: policy.enabled,
  };
}
