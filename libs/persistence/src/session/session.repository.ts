import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import type { Mongo } from '../mongo.js';
import { findPage, type PageOf, type PageRequest } from '../paging.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { USERS, type UserDocument } from '../user/user.schema.js';
import { SESSIONS, type SessionDocument } from './session.schema.js';

/** Reads may give a record that has expired: the caller compares `ExpiresAt`. */
export class SessionRepository {
  constructor(private readonly mongo: Mongo) {}

  /** For authentication: the cookie says nothing of a company. */
  async findByHash(_scope: SystemScope, hash: string): Promise<SessionDocument | null> {
    return this.sessions().findOne({ SessionHash: hash });
  }

  async find(scope: TenantScope, id: string): Promise<SessionDocument | null> {
    return this.sessions().findOne({ _id: id, CompanyID: scope.companyId });
  }

  /** Those of the ids that exist, in no order, of whichever companies. */
  async findMany(_scope: SystemScope, ids: readonly string[]): Promise<SessionDocument[]> {
    return this.sessions()
      .find({ _id: { $in: [...ids] } })
      .toArray();
  }

  /** Those of a person's accounts, in whichever companies they act. */
  async listOf(
    _scope: SystemScope,
    userIds: readonly string[],
    now: Date,
    page: PageRequest,
  ): Promise<PageOf<SessionDocument>> {
    const filter = { UserID: { $in: [...userIds] }, ExpiresAt: { $gt: now } };
    return findPage<SessionDocument>(this.sessions(), filter, page, { SessionHash: 0 });
  }

  async findOf(
    _scope: SystemScope,
    userIds: readonly string[],
    id: string,
    now: Date,
  ): Promise<SessionDocument | null> {
    return this.sessions().findOne({ _id: id, UserID: { $in: [...userIds] }, ExpiresAt: { $gt: now } });
  }

  async insert(scope: TenantScope, session: SessionDocument, entry: AuditEntryInput): Promise<void> {
    if (session.CompanyID !== scope.companyId) throw new TypeError('a session of another company cannot be made here');
    await this.mongo.transaction(async (transaction) => {
      await this.sessions().insertOne(session, { session: transaction });
      await this.recordActivity(transaction, session.UserID, session.CreatedAt);
      await recordAudit(transaction, entry);
    });
  }

  /** Never shortens a session, and never wakes one that has expired. False when there is none to renew. */
  async renew(scope: TenantScope, id: string, expiresAt: Date, now: Date): Promise<boolean> {
    const { matchedCount } = await this.sessions().updateOne(
      { _id: id, CompanyID: scope.companyId, ExpiresAt: { $gt: now } },
      { $max: { ExpiresAt: expiresAt, LastActivity: now } },
    );
    return matchedCount === 1;
  }

  /** Deletes the record; `entry` is written only by the call that did. */
  async end(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (transaction) => {
      const { deletedCount } = await this.sessions().deleteOne(
        { _id: id, CompanyID: scope.companyId },
        { session: transaction },
      );
      if (deletedCount === 0) return false;
      await recordAudit(transaction, entry);
      return true;
    });
  }

  /**
   * Ends all of a person's accounts, in whichever companies they act.
   *
   * @returns how many had not ended before
   */
  async endAllOf(
    _scope: SystemScope,
    userIds: readonly string[],
    now: Date,
    entryOf: (session: SessionDocument) => AuditEntryInput,
  ): Promise<number> {
    return this.mongo.transaction(async (transaction) => {
      const open = await this.sessions()
        .find({ UserID: { $in: [...userIds] }, ExpiresAt: { $gt: now } }, { session: transaction })
        .toArray();
      if (open.length === 0) return 0;
      await this.sessions().deleteMany({ _id: { $in: open.map(({ _id }) => _id) } }, { session: transaction });
      await recordAudit(transaction, ...open.map(entryOf));
      return open.length;
    });
  }

  /**
   * Ends one session and opens another in its place.
   *
   * @param scope of the one that ends
   * @returns false when that had ended before; nothing was written then
   */
  async replace(
    scope: TenantScope,
    id: string,
    session: SessionDocument,
    entries: readonly AuditEntryInput[],
  ): Promise<boolean> {
    return this.mongo.transaction(async (transaction) => {
      const { deletedCount } = await this.sessions().deleteOne(
        { _id: id, CompanyID: scope.companyId },
        { session: transaction },
      );
      if (deletedCount === 0) return false;
      await this.sessions().insertOne(session, { session: transaction });
      await this.recordActivity(transaction, session.UserID, session.LastActivity);
      await recordAudit(transaction, ...entries);
      return true;
    });
  }

  private async recordActivity(transaction: ClientSession, userId: string, at: Date): Promise<void> {
    const users = this.mongo.collection<UserDocument>(USERS);
    await users.updateOne({ _id: userId }, { $max: { last_activity: at } }, { session: transaction });
  }

  private sessions(): mongo.Collection<SessionDocument> {
    return this.mongo.collection<SessionDocument>(SESSIONS);
  }
}
