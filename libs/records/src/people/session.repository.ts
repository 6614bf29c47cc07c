import type { ClientSession, mongo } from 'mongoose';
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
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './external-identity.schema.js';
import { USERS, type UserDocument } from './user.schema.js';
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

  /**
   * Opens a session, unless what the user showed was revoked since it was read: the password was changed, the account at a
   * provider untied, the membership deactivated. Such a change ends the sessions, and this one would be opened after it.
   *
   * @param user as it was read
   * @returns false: nothing was written
   */
  async insert(
    scope: TenantScope,
    user: Pick<UserDocument, '_id' | 'password_hash'>,
    session: SessionDocument,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    if (session.CompanyID !== scope.companyId) throw new TypeError('a session of another company cannot be made here');
    return this.mongo.transaction(async (transaction) => {
      if (!(await this.enter(transaction, user, session))) return false;
      await this.sessions().insertOne(session, { session: transaction });
      await recordAudit(transaction, entry);
      return true;
    });
  }

  /** Never shortens a session, and never revives one that has expired. False when there is no session to renew. */
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
   * @param user of the other, as it was read
   * @returns false when the first one had ended before, or the other may not be opened (as `insert`); nothing was written then
   */
  async replace(
    scope: TenantScope,
    id: string,
    user: Pick<UserDocument, '_id' | 'password_hash'>,
    session: SessionDocument,
    entries: readonly AuditEntryInput[],
  ): Promise<boolean> {
    return this.mongo.transaction(async (transaction) => {
      if (!(await this.enter(transaction, user, session))) return false;
      const { deletedCount } = await this.sessions().deleteOne(
        { _id: id, CompanyID: scope.companyId },
        { session: transaction },
      );
      if (deletedCount === 0) return false;
      await this.sessions().insertOne(session, { session: transaction });
      await recordAudit(transaction, ...entries);
      return true;
    });
  }

  /**
   * Writes the user, so that a change in parallel to what opens the account makes one of the two transactions check again.
   */
  private async enter(
    transaction: ClientSession,
    { _id, password_hash }: Pick<UserDocument, '_id' | 'password_hash'>,
    { CompanyID: company_id, LastActivity, Proof }: SessionDocument,
  ): Promise<boolean> {
    const isOpen = { company_roles: { $elemMatch: { company_id, deactivated: { $exists: false } } } };
    const { matchedCount } = await this.mongo
      .collection<UserDocument>(USERS)
      .updateOne(
        { _id, ...isOpen, ...(Proof?.kind === 'password' && { password_hash }) },
        { $max: { last_activity: LastActivity } },
        { session: transaction },
      );
    if (matchedCount === 0) return false;
    if (Proof?.kind !== 'identity') return true;
    const { issuer, subject } = Proof;
    const tie = await this.mongo
      .collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES)
      .findOne({ issuer, subject, user_id: _id }, { session: transaction, projection: { _id: 1 } });
    return tie !== null;
  }

  private sessions(): mongo.Collection<SessionDocument> {
    return this.mongo.collection<SessionDocument>(SESSIONS);
  }
}
