import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput, type Mongo, type SystemScope, type TenantScope } from '@weft/store';
import { ONE_TIME_LINKS, type OneTimeLinkDocument } from './one-time-link.schema.js';
import { SESSIONS, type SessionDocument } from './session.schema.js';
import { USERS, type UserDocument } from './user.schema.js';
import { endWaysIn, type WaysIn, type WaysToEnd } from './ways-in.js';

/** Changes passwords, and keeps the links by which one is chosen. Whatever changes a password ends sessions and links. */
export class PasswordRepository {
  constructor(private readonly mongo: Mongo) {}

  /** The link behind a token, while it can be used. */
  async findLink(_scope: SystemScope, tokenHash: string, now: Date): Promise<OneTimeLinkDocument | null> {
    return this.links().findOne({ token_hash: tokenHash, expires_at: { $gt: now } });
  }

  /**
   * Stores a password that its owner chose, unless another one was stored since `before` was read.
   *
   * @param keepSessionId the one session that goes on
   */
  async replace(
    _scope: SystemScope,
    before: Pick<UserDocument, '_id' | 'password_hash'>,
    hash: string,
    keepSessionId: string,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.users().updateOne(
        { _id: before._id, password_hash: before.password_hash },
        { $set: { password_hash: hash }, $unset: { password_given: true } },
        { session },
      );
      if (matchedCount === 0) return false;
      await this.endAll(session, before._id, keepSessionId);
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * Stores the password that a link was used for; false when the link was used or has expired, its user is gone, or has a
   * place by now in a company that the maker of the link had no say in.
   */
  async useLink(
    _scope: SystemScope,
    link: OneTimeLinkDocument,
    hash: string,
    now: Date,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.links().deleteOne({ _id: link._id, expires_at: { $gt: now } }, { session });
      if (deletedCount === 0) return false;
      const { matchedCount } = await this.users().updateOne(
        { _id: link.user_id, company_roles: { $not: { $elemMatch: { company_id: { $nin: companiesOf(link) } } } } },
        { $set: { password_hash: hash }, $unset: { password_given: true } },
        { session },
      );
      if (matchedCount === 0) return false;
      await this.endAll(session, link.user_id);
      await recordAudit(session, entry);
      return true;
    });
  }

  /** Two accounts that one password opens have the same hash, so that one comparison tells of both. */
  async alignHash(_scope: SystemScope, userId: string, before: string, after: string): Promise<void> {
    await this.users().updateOne({ _id: userId, password_hash: before }, { $set: { password_hash: after } });
  }

  /**
   * The password is of no use from now on, and the link is the only way to a new one.
   *
   * @param ends what else opens the account and is to end with it
   * @returns what else opens the account still; null when the company has no such user
   */
  async reset(
    scope: TenantScope,
    link: OneTimeLinkDocument,
    ends: WaysToEnd,
    entriesOf: (ended: WaysIn) => readonly AuditEntryInput[],
  ): Promise<WaysIn | null> {
    return this.mongo.transaction(async (session) => {
      const user = await this.users().findOneAndUpdate(
        { _id: link.user_id, 'company_roles.company_id': scope.companyId },
        { $set: { password_hash: null }, $unset: { password_given: true } },
        { session },
      );
      if (!user) return null;
      await this.endAll(session, user._id);
      const { ended, left } = await endWaysIn(this.mongo, session, user, ends, link.created_at);
      await this.links().insertOne(link, { session });
      await recordAudit(session, ...entriesOf(ended));
      return left;
    });
  }

  /** Stores a password that somebody was given, and is not the holder's own choice. @returns what else opens the account */
  async give(
    _scope: SystemScope,
    user: Pick<UserDocument, '_id' | 'company_roles'>,
    hash: string,
    at: Date,
    entry: AuditEntryInput,
  ): Promise<WaysIn> {
    return this.mongo.transaction(async (session) => {
      const given = { password_hash: hash, password_given: true } as const;
      await this.users().updateOne({ _id: user._id }, { $set: given }, { session });
      await this.endAll(session, user._id);
      const { left } = await endWaysIn(this.mongo, session, user, { identities: false, keys: false }, at);
      await recordAudit(session, entry);
      return left;
    });
  }

  private async endAll(session: ClientSession, userId: string, keepSessionId?: string): Promise<void> {
    await this.mongo
      .collection<SessionDocument>(SESSIONS)
      .deleteMany({ UserID: userId, ...(keepSessionId && { _id: { $ne: keepSessionId } }) }, { session });
    await this.links().deleteMany({ user_id: userId }, { session });
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }

  private links(): mongo.Collection<OneTimeLinkDocument> {
    return this.mongo.collection<OneTimeLinkDocument>(ONE_TIME_LINKS);
  }
}

function companiesOf({ company_id, company_ids = [company_id] }: OneTimeLinkDocument): string[] {
  return [...company_ids];
}
