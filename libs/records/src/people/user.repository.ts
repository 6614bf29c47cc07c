import type { Role } from '@weft/access';
import type { mongo } from 'mongoose';
import {
  findPage,
  emailKey,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import { escapeRegex } from '../database/escape-regex.js';
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './external-identity.schema.js';
import type { SignInProof } from './session.schema.js';
import type { UserState } from './membership-in.js';
import { USERS, type UserDocument } from './user.schema.js';

export interface UserFilter {
  /** Part of the address or the name, in any case. */
  readonly q?: string;
  /** In the company that is looked at. */
  readonly role?: Role;
  readonly state?: UserState;
}

const USED_LAST_FIRST = { last_activity: -1, _id: 1 } as const;

/** Reads users. `MembershipRepository` changes their memberships, `PasswordRepository` their passwords. */
export class UserRepository {
  constructor(private readonly mongo: Mongo) {}

  /** A user who is a member of the company, whatever the role. */
  async findMember(scope: TenantScope, id: string): Promise<UserDocument | null> {
    return this.users().findOne({ _id: id, 'company_roles.company_id': scope.companyId });
  }

  /** The accounts of an address, in whichever companies; the one that was used last comes first. */
  async findByEmail(_scope: SystemScope, email: string): Promise<UserDocument[]> {
    return this.users()
      .find({ email_key: emailKey(email) })
      .sort(USED_LAST_FIRST)
      .toArray();
  }

  /** Those of the ids that exist; the one that was used last comes first. */
  async findAccounts(_scope: SystemScope, ids: readonly string[]): Promise<UserDocument[]> {
    return this.users()
      .find({ _id: { $in: [...ids] } })
      .sort(USED_LAST_FIRST)
      .toArray();
  }

  /**
   * The accounts of the user's address that the sign-in of the user opens: those with the same password, or tied to the same
   * account at a provider. The user's own comes first.
   *
   * @param proof null: none but the user's own
   */
  async findOpened(_scope: SystemScope, user: UserDocument, proof: SignInProof | null): Promise<UserDocument[]> {
    const { _id, email_key, password_hash } = user;
    if (proof === null || (proof.kind === 'password' && password_hash === null)) return [user];
    const others =
      proof.kind === 'password'
        ? { _id: { $ne: _id }, password_hash }
        : { _id: { $ne: _id, $in: await this.tiedTo(proof, _id) } };
    return [
      user,
      ...(await this.users()
        .find({ ...others, email_key })
        .sort(USED_LAST_FIRST)
        .toArray()),
    ];
  }

  /** Those who look after the installation; a handful. */
  async listOperators(_scope: SystemScope): Promise<UserDocument[]> {
    return this.users().find({ operator: true }).sort({ _id: 1 }).toArray();
  }

  /** For what belongs to an account, in whichever companies it has memberships. */
  async find(_scope: SystemScope, id: string): Promise<UserDocument | null> {
    return this.users().findOne({ _id: id });
  }

  /** Those of the ids that exist, in no order. */
  async findMany(_scope: SystemScope, ids: readonly string[]): Promise<UserDocument[]> {
    return this.users()
      .find({ _id: { $in: [...ids] } })
      .toArray();
  }

  async list(scope: TenantScope, filter: UserFilter, page: PageRequest): Promise<PageOf<UserDocument>> {
    return findPage<UserDocument>(this.users(), wanted(scope, filter), page, {});
  }

  /** The users of an account at a provider, if `userId` is one of them still. */
  private async tiedTo({ issuer, subject }: { issuer: string; subject: string }, userId: string): Promise<string[]> {
    const identities = await this.mongo
      .collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES)
      .find({ issuer, subject }, { projection: { user_id: 1 } })
      .toArray();
    const ids = identities.map(({ user_id }) => user_id);
    return ids.includes(userId) ? ids : [];
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }
}

function wanted({ companyId }: TenantScope, { q, role, state }: UserFilter): mongo.Filter<UserDocument> {
  const membership = {
    company_id: companyId,
    ...(role !== undefined && { role }),
    ...(state !== undefined && { deactivated: state === 'deactivated' ? true : { $exists: false } }),
  };
  const part = { $regex: escapeRegex(q ?? ''), $options: 'i' };
  return {
    'company_roles.company_id': companyId,
    company_roles: { $elemMatch: membership },
    ...(q !== undefined && { $or: [{ email: part }, { name: part }] }),
    ...(state === 'invited' && { password_hash: null, last_activity: null }),
    ...(state === 'active' && { $nor: [{ password_hash: null, last_activity: null }] }),
  };
}
