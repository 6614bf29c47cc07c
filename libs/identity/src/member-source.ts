import type { Principal } from '@weft/access';
import { SystemScope } from '@weft/store';
import {
  openMembershipIn,
  type CompanyRepository,
  type CompanyRole,
  type UserRepository,
  type UserDocument,
} from '@weft/records';

/** A user with their current membership of a company. */
export interface Member {
  readonly user: UserDocument;
  readonly place: CompanyRole;
}

/** A user in a company. */
export interface MemberKey {
  readonly companyId: string;
  readonly userId: string;
}

const AUTHENTICATION = new SystemScope('the users and companies behind many credentials are read in two questions');

/** The part of a principal by which rights are decided. */
export type MemberIdentity = Pick<Principal, 'userId' | 'email' | 'companyId' | 'role' | 'groupIds'>;

/** Reads members of companies: of sessions, of API keys and of schedules. Every call reads MongoDB. */
export class MemberSource {
  constructor(
    private readonly users: UserRepository,
    private readonly companies: CompanyRepository,
  ) {}

  /** Null unless the company is active and the user is an active member of it. */
  async find(companyId: string, userId: string): Promise<Member | null> {
    const [member] = await this.findAll([{ companyId, userId }]);
    return member ?? null;
  }

  /** Whether an operator has stopped the company; a company that does not exist is not stopped. */
  async isStopped(companyId: string): Promise<boolean> {
    const [company] = await this.companies.findMany(AUTHENTICATION, [companyId]);
    return company?.active === false;
  }

  /** As `find`, for many members with two queries; the result has the order of `keys`. */
  async findAll(keys: readonly MemberKey[]): Promise<(Member | null)[]> {
    if (keys.length === 0) return [];
    const [users, companies] = await Promise.all([
      this.users.findMany(AUTHENTICATION, distinct(keys.map(({ userId }) => userId))),
      this.companies.findMany(AUTHENTICATION, distinct(keys.map(({ companyId }) => companyId))),
    ]);
    const userOf = new Map(users.map((user) => [user._id, user]));
    const active = new Set(companies.filter((company) => company.active).map(({ _id }) => _id));
    return keys.map(({ companyId, userId }) => {
      const user = userOf.get(userId);
      const place = user && openMembershipIn(user, companyId);
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
