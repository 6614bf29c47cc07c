import type { Principal } from '@weft/access';
import {
  CompanyRepository,
  openPlaceIn,
  SystemScope,
  UserRepository,
  type CompanyRole,
  type Mongo,
  type UserDocument,
} from '@weft/persistence';

/** A user with the place in a company that counts now. */
export interface Member {
  readonly user: UserDocument;
  readonly place: CompanyRole;
}

/** A user in a company. */
export interface MemberKey {
  readonly companyId: string;
  readonly userId: string;
}

const MEMBERS = new SystemScope('the users and companies behind many credentials are read in two questions');

/** What rights are judged by. */
export type MemberIdentity = Pick<Principal, 'userId' | 'email' | 'companyId' | 'role' | 'groupIds'>;

/** Reads who acts in a company: signed in, by a key, or while away (schedules). Every call asks MongoDB. */
export class MemberSource {
  private readonly users: UserRepository;
  private readonly companies: CompanyRepository;

  constructor(mongo: Mongo) {
    this.users = new UserRepository(mongo);
    this.companies = new CompanyRepository(mongo);
  }

  /** Null unless the company is active and the user has a place in it that is not deactivated. */
  async find(companyId: string, userId: string): Promise<Member | null> {
    const [member] = await this.findAll([{ companyId, userId }]);
    return member ?? null;
  }

  /** As `find`, for many in two questions; in their order. */
  async findAll(keys: readonly MemberKey[]): Promise<(Member | null)[]> {
    if (keys.length === 0) return [];
    const [users, companies] = await Promise.all([
      this.users.findMany(MEMBERS, distinct(keys.map(({ userId }) => userId))),
      this.companies.findMany(MEMBERS, distinct(keys.map(({ companyId }) => companyId))),
    ]);
    const userOf = new Map(users.map((user) => [user._id, user]));
    const active = new Set(companies.filter((company) => company.active).map(({ _id }) => _id));
    return keys.map(({ companyId, userId }) => {
      const user = userOf.get(userId);
      const place = user && openPlaceIn(user, companyId);
      return place && active.has(companyId) ? { user, place } : null;
    });
  }
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

export function identityOf({ user, place }: Member): MemberIdentity {
  return {
    userId: user._id,
    email: user.email,
    companyId: place.company_id,
    role: place.role,
    groupIds: place.group_ids,
  };
}
