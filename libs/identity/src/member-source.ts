import type { Principal } from '@weft/access';
import {
  CompanyRepository,
  openPlaceIn,
  TenantScope,
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
    const scope = new TenantScope(companyId);
    const [user, company] = await Promise.all([this.users.findMember(scope, userId), this.companies.find(scope)]);
    const place = user && openPlaceIn(user, companyId);
    return company?.active && place ? { user, place } : null;
  }
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
