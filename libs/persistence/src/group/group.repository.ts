import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import { GrantRepository } from '../grant/grant.repository.js';
import type { Mongo } from '../mongo.js';
import { findPage, type PageOf, type PageRequest } from '../paging.js';
import type { TenantScope } from '../scope.js';
import { USERS, type UserDocument } from '../user/user.schema.js';
import { authorOf } from '../grant/grant-audit.js';
import { GROUPS, type GroupDocument } from './group.schema.js';

export class GroupRepository {
  private readonly grants: GrantRepository;

  constructor(private readonly mongo: Mongo) {
    this.grants = new GrantRepository(mongo);
  }

  async find(scope: TenantScope, id: string): Promise<GroupDocument | null> {
    return this.groups().findOne({ _id: id, company_id: scope.companyId });
  }

  async list(scope: TenantScope, page: PageRequest): Promise<PageOf<GroupDocument>> {
    return findPage<GroupDocument>(this.groups(), { company_id: scope.companyId }, page, {});
  }

  /** The members of each of the groups, in the order of their making. */
  async membersOf(scope: TenantScope, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const { companyId: company_id } = scope;
    const users = await this.users()
      .find(
        { company_roles: { $elemMatch: { company_id, group_ids: { $in: [...ids] } } } },
        { projection: { company_roles: 1 } },
      )
      .sort({ _id: 1 })
      .toArray();
    const groupsOf = (user: UserDocument): readonly string[] =>
      user.company_roles.find((place) => place.company_id === company_id)?.group_ids ?? [];
    return new Map(ids.map((id) => [id, users.filter((user) => groupsOf(user).includes(id)).map(({ _id }) => _id)]));
  }

  async insert(scope: TenantScope, group: GroupDocument, entry: AuditEntryInput): Promise<void> {
    if (group.company_id !== scope.companyId) throw new TypeError('a group of another company cannot be made here');
    await this.mongo.transaction(async (session) => {
      await this.groups().insertOne(group, { session });
      await recordAudit(session, entry);
    });
  }

  async rename(scope: TenantScope, id: string, name: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const filter = { _id: id, company_id: scope.companyId };
      const { matchedCount } = await this.groups().updateOne(filter, { $set: { name } }, { session });
      if (matchedCount === 1) await recordAudit(session, entry);
      return matchedCount === 1;
    });
  }

  /** With what was granted to it. @returns the ids of those who were in it; null when there is no such group */
  async remove(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<readonly string[] | null> {
    const { companyId: company_id } = scope;
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.groups().deleteOne({ _id: id, company_id }, { session });
      if (deletedCount === 0) return null;
      const inGroup = { company_roles: { $elemMatch: { company_id, group_ids: id } } };
      const members = await this.users()
        .find(inGroup, { session, projection: { _id: 1 } })
        .toArray();
      await this.users().updateMany(inGroup, { $pull: { 'company_roles.$.group_ids': id } }, { session });
      await this.grants.removeOfGrantee(session, scope, id, authorOf(entry));
      await recordAudit(session, entry);
      return members.map(({ _id }) => _id);
    });
  }

  /**
   * Both again change nothing, and make no entry.
   *
   * @returns null when the company has no such group or no such user; else whether anything changed
   */
  async setMember(
    scope: TenantScope,
    id: string,
    userId: string,
    isMember: boolean,
    entry: AuditEntryInput,
  ): Promise<boolean | null> {
    const { companyId: company_id } = scope;
    return this.mongo.transaction(async (session) => {
      // written, not read: a group that is deleted at the same time must not keep a member
      const group = await this.groups().updateOne({ _id: id, company_id }, { $inc: { changes: 1 } }, { session });
      if (group.matchedCount === 0) return null;
      const { matchedCount, modifiedCount } = await this.users().updateOne(
        { _id: userId, company_roles: { $elemMatch: { company_id } } },
        isMember ? { $addToSet: { 'company_roles.$.group_ids': id } } : { $pull: { 'company_roles.$.group_ids': id } },
        { session },
      );
      if (matchedCount === 0) return null;
      if (modifiedCount === 1) await recordAudit(session, entry);
      return modifiedCount === 1;
    });
  }

  private groups(): mongo.Collection<GroupDocument> {
    return this.mongo.collection<GroupDocument>(GROUPS);
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }
}
