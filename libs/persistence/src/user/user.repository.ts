import type { Role } from '@weft/access';
import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import { findPage, type PageOf, type PageRequest } from '../paging.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { emailKey } from './email-key.js';
import type { UserState } from './place.js';
import { USERS, type UserDocument } from './user.schema.js';

export interface UserFilter {
  /** Part of the address or the name, in any case. */
  readonly q?: string;
  /** In the company that is looked at. */
  readonly role?: Role;
  readonly state?: UserState;
}

/** Reads users. Who changes their places: `MembershipRepository`; their passwords: `PasswordRepository`. */
export class UserRepository {
  constructor(private readonly mongo: Mongo) {}

  /** A user who has a place in the company, whatever the role. */
  async findMember(scope: TenantScope, id: string): Promise<UserDocument | null> {
    return this.users().findOne({ _id: id, 'company_roles.company_id': scope.companyId });
  }

  /** For sign-in, which knows no company yet. */
  async findByEmail(_scope: SystemScope, email: string): Promise<UserDocument | null> {
    return this.users().findOne({ email_key: emailKey(email) });
  }

  /** For what belongs to an account, in whichever companies it has places. */
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

  /** Those of the ids that have a place in the company. */
  async membersAmong(scope: TenantScope, ids: readonly string[]): Promise<string[]> {
    const found = await this.users()
      .find({ _id: { $in: [...ids] }, 'company_roles.company_id': scope.companyId }, { projection: { _id: 1 } })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }
}

function wanted({ companyId }: TenantScope, { q, role, state }: UserFilter): mongo.Filter<UserDocument> {
  const place = {
    company_id: companyId,
    ...(role !== undefined && { role }),
    ...(state !== undefined && { deactivated: state === 'deactivated' ? true : { $exists: false } }),
  };
  const part = { $regex: (q ?? '').replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), $options: 'i' };
  return {
    'company_roles.company_id': companyId,
    company_roles: { $elemMatch: place },
    ...(q !== undefined && { $or: [{ email: part }, { name: part }] }),
    ...(state === 'invited' && { password_hash: null, last_activity: null }),
    ...(state === 'active' && { $nor: [{ password_hash: null, last_activity: null }] }),
  };
}
