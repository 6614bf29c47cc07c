import type { CompanyRole, UserDocument } from './user.schema.js';

export type UserState = 'active' | 'invited' | 'deactivated';

/** The user's membership in a company, also one that is deactivated. */
export function membershipIn(user: Pick<UserDocument, 'company_roles'>, companyId: string): CompanyRole | undefined {
  return user.company_roles.find((place) => place.company_id === companyId);
}

/** The user's membership in a company, unless the company has deactivated it. */
export function openMembershipIn(
  user: Pick<UserDocument, 'company_roles'>,
  companyId: string,
): CompanyRole | undefined {
  const membership = membershipIn(user, companyId);
  return membership?.deactivated ? undefined : membership;
}

/** The state of the user in a company. Invited: nobody has signed in to the account yet, or could with a password. */
export function stateIn(
  user: Pick<UserDocument, 'company_roles' | 'password_hash' | 'last_activity'>,
  companyId: string,
): UserState {
  if (!openMembershipIn(user, companyId)) return 'deactivated';
  return user.password_hash === null && user.last_activity === null ? 'invited' : 'active';
}
