import type { ClientSession, mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  unlessTaken,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
} from '@weft/store';
import type { TokenFields } from '../integrations/token-fields.js';
import { SESSIONS, type SessionDocument } from './session.schema.js';
import { USERS, type CompanyRole, type UserDocument } from './user.schema.js';
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './external-identity.schema.js';

/** Accounts at identity providers. They name no company, so every method takes a `SystemScope`. */
export class ExternalIdentityRepository {
  constructor(private readonly mongo: Mongo) {}

  /** One for each user that the account is tied to. */
  async findAll(_scope: SystemScope, issuer: string, subject: string): Promise<ExternalIdentityDocument[]> {
    return this.identities().find({ issuer, subject }).toArray();
  }

  /** Those of a user, newest first. */
  async listOf(_scope: SystemScope, userId: string, page: PageRequest): Promise<PageOf<ExternalIdentityDocument>> {
    return findPage<ExternalIdentityDocument>(this.identities(), { user_id: userId }, page, {});
  }

  async findOf(_scope: SystemScope, userId: string, id: string): Promise<ExternalIdentityDocument | null> {
    return this.identities().findOne({ _id: id, user_id: userId });
  }

  /**
   * Unties an account from a user, whose other sessions end: one of them may have been opened with it.
   *
   * @returns `last` when the user could not sign in without it: nothing was written then
   */
  async remove(
    _scope: SystemScope,
    { _id, user_id }: Pick<ExternalIdentityDocument, '_id' | 'user_id'>,
    keepSessionId: string,
    entry: AuditEntryInput,
  ): Promise<'removed' | 'unknown' | 'last'> {
    return this.mongo.transaction(async (session) => {
      // written, not read: of two that untie the last two accounts at once one looks again
      const user = await this.users().findOneAndUpdate(
        { _id: user_id },
        { $inc: { identities_lost: 1 } },
        { session, projection: { password_hash: 1 } },
      );
      const tied = await this.identities()
        .find({ user_id }, { session, projection: { _id: 1 } })
        .toArray();
      if (!tied.some((each) => each._id === _id)) return 'unknown';
      if (tied.length === 1 && user?.password_hash === null) return 'last';
      await this.identities().deleteOne({ _id }, { session });
      await this.mongo
        .collection<SessionDocument>(SESSIONS)
        .deleteMany({ UserID: user_id, _id: { $ne: keepSessionId } }, { session });
      await recordAudit(session, entry);
      return 'removed';
    });
  }

  /**
   * A new user together with the account that it came from.
   *
   * @returns false when the account or the e-mail was taken in the meantime; nothing was written then
   */
  async insertWithUser(
    _scope: SystemScope,
    identity: ExternalIdentityDocument,
    user: UserDocument,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.unlessTaken(async (session) => {
      await this.users().insertOne(user, { session });
      await this.identities().insertOne(identity, { session });
      await recordAudit(session, entry);
    });
  }

  /** Ties an account to a user who is there already. False when it is tied to that user by now. */
  async insert(_scope: SystemScope, identity: ExternalIdentityDocument, entry: AuditEntryInput): Promise<boolean> {
    return this.unlessTaken(async (session) => {
      await this.identities().insertOne(identity, { session });
      await recordAudit(session, entry);
    });
  }

  async renew(
    _scope: SystemScope,
    id: string,
    fields: TokenFields & Pick<ExternalIdentityDocument, 'email' | 'last_login_at'>,
  ): Promise<void> {
    await this.identities().updateOne({ _id: id }, { $set: fields });
  }

  /**
   * Gives a user who belongs to no company a membership. False when the user has one by now, or the company has an account
   * of the address.
   */
  async assignCompany(
    _scope: SystemScope,
    userId: string,
    membership: CompanyRole,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    let isAssigned = false;
    const isFree = await this.unlessTaken(async (session) => {
      const { matchedCount } = await this.users().updateOne(
        { _id: userId, company_roles: { $size: 0 } },
        { $set: { company_roles: [membership] } },
        { session },
      );
      isAssigned = matchedCount === 1;
      if (isAssigned) await recordAudit(session, entry);
    });
    return isFree && isAssigned;
  }

  private unlessTaken(work: (session: ClientSession) => Promise<void>): Promise<boolean> {
    return unlessTaken(this.mongo.transaction(work));
  }

  private identities(): mongo.Collection<ExternalIdentityDocument> {
    return this.mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES);
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }
}
