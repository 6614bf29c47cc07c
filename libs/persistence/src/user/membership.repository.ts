import { keepsAll, type Role } from '@weft/access';
import { WeftError } from '@weft/kernel';
import mongoose, { type ClientSession, type mongo } from 'mongoose';
import { API_KEYS, type ApiKeyDocument } from '../api-key/api-key.schema.js';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import { COMPANIES, type CompanyDocument } from '../company/company.schema.js';
import { authorOf } from '../grant/grant-audit.js';
import { GrantRepository } from '../grant/grant.repository.js';
import type { Mongo } from '../mongo.js';
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from '../oauth-login/external-identity.schema.js';
import { ONE_TIME_LINKS, type OneTimeLinkDocument } from '../one-time-link/one-time-link.schema.js';
import type { TenantScope } from '../scope.js';
import { SESSIONS, type SessionDocument } from '../session/session.schema.js';
import { openPlaceIn, placeIn } from './place.js';
import { USERS, type CompanyRole, type UserDocument } from './user.schema.js';

export interface MemberChange {
  readonly name?: string | null;
  /** False: the company keeps the user out. */
  readonly active?: boolean;
  /** Places that are given or get another role; those of other companies stay. */
  readonly roles?: readonly { readonly company_id: string; readonly role: Role }[];
}

export interface Changed {
  readonly before: UserDocument;
  readonly after: UserDocument;
}

/** What is written into the audit log: with the change, or not at all. */
type EntriesOf<T> = (change: T) => readonly AuditEntryInput[];

const DUPLICATE_KEY = 11_000;

/** Changes who has a place in which company, with everything that follows from it, in one transaction each. */
export class MembershipRepository {
  private readonly grants: GrantRepository;

  constructor(private readonly mongo: Mongo) {
    this.grants = new GrantRepository(mongo);
  }

  /**
   * Stores a user. Where the address has an account already, that account gets the places, and keeps all else.
   *
   * @param ifKnown `refuse` where an account must not be found by its address alone
   * @param link stored with a new account
   * @throws WeftError `email_taken` when the account has one of the places already, or with `refuse`
   */
  async enrol(
    newcomer: UserDocument,
    options: {
      readonly ifKnown: 'join' | 'refuse';
      readonly link?: OneTimeLinkDocument | null;
      readonly entriesOf: EntriesOf<UserDocument>;
    },
  ): Promise<{ readonly outcome: 'created' | 'joined'; readonly user: UserDocument }> {
    const once = () => this.mongo.transaction((session) => this.enrolIn(session, newcomer, options));
    try {
      return await once();
    } catch (error) {
      // somebody stored the same address in between: now it is known
      if (error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY) return once();
      throw error;
    }
  }

  /**
   * Ends the sessions in each company where the user lost something.
   *
   * @returns null when the company has no such user
   * @throws WeftError `last_admin`
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
   * Takes the user's place away, with keys, links, grants and sessions there; the account goes with its last place.
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

  private async enrolIn(
    session: ClientSession,
    newcomer: UserDocument,
    { ifKnown, link, entriesOf }: Parameters<MembershipRepository['enrol']>[1],
  ): Promise<{ readonly outcome: 'created' | 'joined'; readonly user: UserDocument }> {
    const known = await this.users().findOne({ email_key: newcomer.email_key }, { session });
    if (!known) {
      await this.users().insertOne(newcomer, { session });
      if (link) await this.links().insertOne(link, { session });
      await recordAudit(session, ...entriesOf(newcomer));
      return { outcome: 'created', user: newcomer };
    }
    if (ifKnown === 'refuse' || newcomer.company_roles.some(({ company_id }) => placeIn(known, company_id))) {
      throw new WeftError('email_taken', 'There is a user with this address already.');
    }
    const user = { ...known, company_roles: [...known.company_roles, ...newcomer.company_roles] };
    await this.users().updateOne({ _id: known._id }, { $set: { company_roles: user.company_roles } }, { session });
    await recordAudit(session, ...entriesOf(user));
    return { outcome: 'joined', user };
  }

  /** With its ways in from identity providers, and the tokens that came from there. */
  private async removeAccount(session: ClientSession, id: string): Promise<void> {
    await this.users().deleteOne({ _id: id }, { session });
    await this.mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES).deleteMany({ user_id: id }, { session });
  }

  private memberOf(session: ClientSession, scope: TenantScope, id: string): Promise<UserDocument | null> {
    return this.users().findOne({ _id: id, 'company_roles.company_id': scope.companyId }, { session });
  }

  /** Two admins who take each other's role away both write the company, so one of them looks again. */
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

function changed(before: UserDocument, { name, active, roles = [] }: MemberChange, companyId: string): UserDocument {
  const places = before.company_roles.map((place): CompanyRole => {
    const role = roles.find(({ company_id }) => company_id === place.company_id)?.role ?? place.role;
    const { deactivated, ...open } = place;
    const isOut = place.company_id === companyId && active !== undefined ? !active : deactivated;
    return { ...open, role, ...(isOut && { deactivated: true }) };
  });
  const added = roles
    .filter(({ company_id }) => !placeIn(before, company_id))
    .map(({ company_id, role }) => ({ company_id, role, group_ids: [] }));
  return { ...before, name: name === undefined ? before.name : name, company_roles: [...places, ...added] };
}

/** The companies where the user can do less than before. */
function companiesLost(before: UserDocument, after: UserDocument): string[] {
  return before.company_roles
    .filter((place) => {
      const now = openPlaceIn(after, place.company_id);
      return !place.deactivated && !(now && keepsAll(place.role, now.role));
    })
    .map(({ company_id }) => company_id);
}

function hasOpenPlace(user: UserDocument): boolean {
  return user.company_roles.some(({ deactivated }) => !deactivated);
}

function isAdminIn(user: UserDocument, companyId: string): boolean {
  return openPlaceIn(user, companyId)?.role === 'admin';
}
