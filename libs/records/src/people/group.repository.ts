import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput, type Mongo, type TenantScope } from '@weft/store';
import { USERS, type UserDocument } from './user.schema.js';
import { authorOf } from './grant-audit.js';
import { GROUPS, type GroupDocument } from './group.schema.js';
import { NamedGroupRepository } from './named-group.repository.js';

export class GroupRepository extends NamedGroupRepository<GroupDocument> {
  constructor(mongo: Mongo) {
    super(mongo, GROUPS);
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
