import { keepsAll, type Role } from '@weft/access';
import { WeftError } from '@weft/kernel';
import type { ClientSession, mongo } from 'mongoose';
import { API_KEYS, type ApiKeyDocument } from './api-key.schema.js';
import { isDuplicateKey, recordAudit, type AuditEntryInput, type Mongo, type TenantScope } from '@weft/store';
import { COMPANIES, type CompanyDocument } from './company.schema.js';
import { authorOf } from './grant-audit.js';
import { GrantRepository } from './grant.repository.js';
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './external-identity.schema.js';
import { ONE_TIME_LINKS, type OneTimeLinkDocument } from './one-time-link.schema.js';
import { SESSIONS, type SessionDocument } from './session.schema.js';
import { openMembershipIn, membershipIn } from './membership-in.js';
import { USERS, type CompanyRole, type UserDocument } from './user.schema.js';

export interface MemberChange {
  readonly name?: string | null;
  /** False: the membership is deactivated. */
  readonly active?: boolean;
  /** Memberships that get another role; those in other companies stay. */
  readonly roles?: readonly { readonly company_id: string; readonly role: Role }[];
}

export interface Changed {
  readonly before: UserDocument;
  readonly after: UserDocument;
}

/** What is written to the audit log, in the transaction of the change. */
type EntriesOf<T> = (change: T) => readonly AuditEntryInput[];

/** Changes memberships in companies, with everything that follows from it, in one transaction each. */
export class MembershipRepository {
  private readonly grants: GrantRepository;

  constructor(private readonly mongo: Mongo) {
    this.grants = new GrantRepository(mongo);
  }

  /**
   * Stores a new account, also for an address that has accounts in other companies: those do not concern this company.
   *
   * @param link by which its holder chooses a password; null where one was given
   * @throws WeftError `email_taken` when one of its companies has an account of the address
   */
  async enrol(
    newcomer: UserDocument,
    { link, entries }: { readonly link: OneTimeLinkDocument | null; readonly entries: readonly AuditEntryInput[] },
  ): Promise<void> {
    try {
      await this.mongo.transaction(async (session) => {
        if (await this.isKnown(session, newcomer)) throw emailTaken();
        await this.users().insertOne(newcomer, { session });
        if (link) await this.links().insertOne(link, { session });
        await recordAudit(session, ...entries);
      });
    } catch (error) {
      throw isDuplicateKey(error) ? emailTaken() : error;
    }
  }

  /**
   * Ends the sessions in each company where the user lost something.
   *
   * @returns null when the company has no such user
   * @throws WeftError `last_admin`, `unknown_id` for a company that the user has no place in: whoever holds the account did
   *   not accept one there
   */
  async change(
    scope: TenantScope,
    id: string,
    change: MemberChange,
    entriesOf: EntriesOf<Changed>,
  ): Promise<Changed | null> {
    return this.mongo.transaction(async (session) => {
      const before = await this.memberOf(session, scope, id);
      if (!before) return null;
      assertMemberships(before, change);
      const after = changed(before, change, scope.companyId);
      await this.assertAdminsLeft(session, before, after);
      await this.assertOperatorLeft(session, before, after);
      await this.users().replaceOne({ _id: id }, after, { session });
      await this.endSessions(session, id, companiesLost(before, after));
      await recordAudit(session, ...entriesOf({ before, after }));
      return { before, after };
    });
  }

  /**
   * Removes the user's membership, with keys, links, grants and sessions there; the account is removed with its last
   * membership.
   *
   * @returns false when the company has no such user
   * @throws WeftError `last_admin`
   */
  async remove(scope: TenantScope, id: string, at: Date, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const before = await this.memberOf(session, scope, id);
      if (!before) return false;
      const { companyId } = scope;
      const left = before.company_roles.filter((place) => place.company_id !== companyId);
      const after = { ...before, company_roles: left };
      await this.assertAdminsLeft(session, before, after);
      await this.assertOperatorLeft(session, before, after);
      if (left.length > 0) await this.users().updateOne({ _id: id }, { $set: { company_roles: left } }, { session });
      else await this.removeAccount(session, id);
      await this.endSessions(session, id, [companyId]);
      await this.links().deleteMany({ user_id: id, ...(left.length > 0 && { company_id: companyId }) }, { session });
      await this.grants.removeOfGrantee(session, scope, id, authorOf(entry));
      await this.revokeKeys(session, companyId, id, at);
      await recordAudit(session, entry);
      return true;
    });
  }

  private async isKnown(session: ClientSession, { email_key, company_roles }: UserDocument): Promise<boolean> {
    const companyIds = company_roles.map(({ company_id }) => company_id);
    const filter = { email_key, 'company_roles.company_id': { $in: companyIds } };
    return (await this.users().findOne(filter, { session, projection: { _id: 1 } })) !== null;
  }

  /** With its ways in from identity providers, and the tokens that came from there. */
  private async removeAccount(session: ClientSession, id: string): Promise<void> {
    await this.users().deleteOne({ _id: id }, { session });
    await this.mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES).deleteMany({ user_id: id }, { session });
  }

  private memberOf(session: ClientSession, scope: TenantScope, id: string): Promise<UserDocument | null> {
    return this.users().findOne({ _id: id, 'company_roles.company_id': scope.companyId }, { session });
  }

  /** Two admins who remove each other's role in parallel both write the company, so one of the transactions checks again. */
  private async assertAdminsLeft(session: ClientSession, before: UserDocument, after: UserDocument): Promise<void> {
    for (const { company_id } of before.company_roles) {
      if (!isAdminIn(before, company_id) || isAdminIn(after, company_id)) continue;
      await this.mongo
        .collection<CompanyDocument>(COMPANIES)
        .updateOne({ _id: company_id }, { $inc: { admins_lost: 1 } }, { session });
      const other = await this.users().findOne(
        {
          _id: { $ne: before._id },
          'company_roles.company_id': company_id,
          company_roles: { $elemMatch: { company_id, role: 'admin', deactivated: { $exists: false } } },
          $nor: [{ password_hash: null, last_activity: null }],
        },
        { session, projection: { _id: 1 } },
      );
      if (!other) throw new WeftError('last_admin', 'Make somebody else an admin first: nobody else could be one.');
    }
  }

  /** Nobody can make an operator: an installation that lost its last one has lost what is above companies for good. */
  private async assertOperatorLeft(session: ClientSession, before: UserDocument, after: UserDocument): Promise<void> {
    if (!before.operator || !hasOpenPlace(before) || hasOpenPlace(after)) return;
    const other = await this.users().findOne(
      {
        _id: { $ne: before._id },
        operator: true,
        company_roles: { $elemMatch: { deactivated: { $exists: false } } },
      },
      { session, projection: { _id: 1 } },
    );
    if (!other) throw new WeftError('last_admin', 'This is the last operator of the installation.');
  }

  private async endSessions(session: ClientSession, userId: string, companyIds: readonly string[]): Promise<void> {
    if (companyIds.length === 0) return;
    await this.mongo
      .collection<SessionDocument>(SESSIONS)
      .deleteMany({ UserID: userId, CompanyID: { $in: [...companyIds] } }, { session });
  }

  private async revokeKeys(session: ClientSession, companyId: string, userId: string, at: Date): Promise<void> {
    const filter = { company_id: companyId, user_id: userId, revoked_at: null };
    const keys = this.mongo.collection<ApiKeyDocument>(API_KEYS);
    await keys.updateMany(filter, { $set: { revoked_at: at } }, { session });
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }

  private links(): mongo.Collection<OneTimeLinkDocument> {
    return this.mongo.collection<OneTimeLinkDocument>(ONE_TIME_LINKS);
  }
}

function emailTaken(): WeftError {
  return new WeftError('email_taken', 'The company has a user with this address already.');
}

function assertMemberships(user: UserDocument, { roles = [] }: MemberChange): void {
  const message = 'The user has no place in that company: invite the address there';
  const errors = roles.flatMap(({ company_id }, i) =>
    membershipIn(user, company_id) ? [] : [{ path: `roles.${i}.company_id`, code: 'unknown_id', message }],
  );
  if (errors.length > 0) throw new WeftError('unknown_id', `${message} (POST /users).`, { errors });
}

function changed(before: UserDocument, { name, active, roles = [] }: MemberChange, companyId: string): UserDocument {
  const company_roles = before.company_roles.map((place): CompanyRole => {
    const role = roles.find(({ company_id }) => company_id === place.company_id)?.role ?? place.role;
    const { deactivated, ...open } = place;
    const isOut = place.company_id === companyId && active !== undefined ? !active : deactivated;
    return { ...open, role, ...(isOut && { deactivated: true }) };
  });
  return { ...before, name: name === undefined ? before.name : name, company_roles };
}

/** The companies where the user can do less than before. */
function companiesLost(before: UserDocument, after: UserDocument): string[] {
  return before.company_roles
    .filter((place) => {
      const now = openMembershipIn(after, place.company_id);
      return !place.deactivated && !(now && keepsAll(place.role, now.role));
    })
    .map(({ company_id }) => company_id);
}

function hasOpenPlace(user: UserDocument): boolean {
  return user.company_roles.some(({ deactivated }) => !deactivated);
}

function isAdminIn(user: UserDocument, companyId: string): boolean {
  return openMembershipIn(user, companyId)?.role === 'admin';
}
