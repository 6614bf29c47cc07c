import type { Permission, ResourceType } from '@weft/access';
import type { ClientSession, mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  isDuplicateKey,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import { grantEntry, type GrantAuthor } from './grant-audit.js';
import { GRANTS, type GrantDocument } from './grant.schema.js';

export interface GrantFilter {
  readonly resourceType?: ResourceType;
  readonly resourceId?: string;
  readonly granteeId?: string;
  /** Only grants on things that this user made. */
  readonly resourceCreatedBy?: string;
}

/** A grant as its reach is worked out. */
export type GrantRow = Pick<
  GrantDocument,
  '_id' | 'CompanyID' | 'GranteeID' | 'ResourceType' | 'ResourceID' | 'Permissions'
>;

const ROW = { CompanyID: 1, GranteeID: 1, ResourceType: 1, ResourceID: 1, Permissions: 1 } as const;

/** Access grants. The caller publishes changed `grants` on the invalidation bus for each grantee, after the commit. */
export class GrantRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, id: string): Promise<GrantDocument | null> {
    return this.grants().findOne({ _id: id, CompanyID: scope.companyId });
  }

  async list(scope: TenantScope, filter: GrantFilter, page: PageRequest): Promise<PageOf<GrantDocument>> {
    const { resourceType, resourceId, granteeId, resourceCreatedBy } = filter;
    const wanted: mongo.Filter<GrantDocument> = {
      CompanyID: scope.companyId,
      ...(resourceType !== undefined && { ResourceType: resourceType }),
      ...(resourceId !== undefined && { ResourceID: resourceId }),
      ...(granteeId !== undefined && { GranteeID: granteeId }),
      ...(resourceCreatedBy !== undefined && { ResourceCreatedBy: resourceCreatedBy }),
    };
    return findPage<GrantDocument>(this.grants(), wanted, page, {});
  }

  /** All grants to those users and groups, in all their companies, in one round trip. */
  async reaching(_scope: SystemScope, granteeIds: readonly string[]): Promise<GrantRow[]> {
    return this.grants()
      .find<GrantRow>({ GranteeID: { $in: [...granteeIds] } }, { projection: ROW })
      .toArray();
  }

  /** All grants on the object, each permission once. */
  async permissionsOn(scope: TenantScope, type: ResourceType, id: string): Promise<readonly Permission[]> {
    const on = { CompanyID: scope.companyId, ResourceType: type, ResourceID: id };
    const grants = await this.grants()
      .find(on, { projection: { Permissions: 1 } })
      .toArray();
    return [...new Set(grants.flatMap(({ Permissions }) => Permissions))];
  }

  /**
   * Gives what `grant` says. Where the thing has a grant to this grantee, that one stays, with the new permissions.
   *
   * @returns the grant as it is now
   */
  async put(
    scope: TenantScope,
    grant: GrantDocument,
    by: GrantAuthor,
  ): Promise<{ readonly grant: GrantDocument; readonly created: boolean }> {
    if (grant.CompanyID !== scope.companyId) throw new TypeError('a grant of another company cannot be made here');
    try {
      return await this.putOnce(grant, by);
    } catch (error) {
      // another caller gave the same at the same moment: its grant exists now
      if (isDuplicateKey(error)) return this.putOnce(grant, by);
      throw error;
    }
  }

  /** False when it was not there; nothing is recorded then. */
  async remove(scope: TenantScope, id: string, by: GrantAuthor): Promise<boolean> {
    const removed = await this.mongo.transaction((session) => this.removeAll(session, scope, { _id: id }, by));
    return removed.length > 0;
  }

  /**
   * In the transaction that takes the thing away for good.
   *
   * @returns the grantees, to tell the bus
   */
  async removeOfResource(
    session: ClientSession,
    scope: TenantScope,
    type: ResourceType,
    id: string,
    by: GrantAuthor,
  ): Promise<readonly string[]> {
    return this.removeAll(session, scope, { ResourceType: type, ResourceID: id }, by);
  }

  /**
   * In the transaction by which a user leaves the company or a group is deleted: who comes back later starts anew.
   *
   * @returns the grantee, to tell the bus; empty when there were no grants
   */
  async removeOfGrantee(
    session: ClientSession,
    scope: TenantScope,
    granteeId: string,
    by: GrantAuthor,
  ): Promise<readonly string[]> {
    return this.removeAll(session, scope, { GranteeID: granteeId }, by);
  }

  private putOnce(grant: GrantDocument, by: GrantAuthor): Promise<{ grant: GrantDocument; created: boolean }> {
    const { CompanyID, ResourceType, ResourceID, GrantType, GranteeID, Permissions } = grant;
    return this.mongo.transaction(async (session) => {
      const same = { CompanyID, ResourceType, ResourceID, GrantType, GranteeID };
      const before = await this.grants().findOne(same, { session });
      if (!before) {
        await this.grants().insertOne(grant, { session });
        await recordAudit(session, grantEntry('grant_created', null, grant, by));
        return { grant, created: true };
      }
      const after = { ...before, Permissions };
      if (String(before.Permissions) !== String(Permissions)) {
        await this.grants().updateOne({ _id: before._id, CompanyID }, { $set: { Permissions } }, { session });
        await recordAudit(session, grantEntry('grant_updated', before, after, by));
      }
      return { grant: after, created: false };
    });
  }

  private async removeAll(
    session: ClientSession,
    scope: TenantScope,
    which: mongo.Filter<GrantDocument>,
    by: GrantAuthor,
  ): Promise<readonly string[]> {
    const grants = await this.grants()
      .find({ ...which, CompanyID: scope.companyId }, { session })
      .toArray();
    if (grants.length === 0) return [];
    const ids = grants.map(({ _id }) => _id);
    await this.grants().deleteMany({ _id: { $in: ids }, CompanyID: scope.companyId }, { session });
    await recordAudit(session, ...grants.map((grant) => grantEntry('grant_deleted', grant, null, by)));
    return [...new Set(grants.map(({ GranteeID }) => GranteeID))];
  }

  private grants(): mongo.Collection<GrantDocument> {
    return this.mongo.collection<GrantDocument>(GRANTS);
  }
}
