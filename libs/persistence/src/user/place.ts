import type { CompanyRole, UserDocument } from './user.schema.js';

export type UserState = 'active' | 'invited' | 'deactivated';

/** The user's place in a company, whatever it opens. */
export function placeIn(user: Pick<UserDocument, 'company_roles'>, companyId: string): CompanyRole | undefined {
  return user.company_roles.find((place) => place.company_id === companyId);
}

/** The user's place in a company, unless the company keeps the user out. */
export function openPlaceIn(user: Pick<UserDocument, 'company_roles'>, companyId: string): CompanyRole | undefined {
  const place = placeIn(user, companyId);
  return place?.deactivated ? undefined : place;
}

/** How the user stands in a company. Invited: nobody has signed in to the account yet, nor could with a password. */
export function stateIn(
  user: Pick<UserDocument, 'company_roles' | 'password_hash' | 'last_activity'>,
  companyId: string,
): UserState {
  if (!openPlaceIn(user, companyId)) return 'deactivated';
  return user.password_hash === null && user.last_activity === null ? 'invited' : 'active';
}
