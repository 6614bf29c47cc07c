import { ROLES, type Role } from '@weft/access';

export const USER_STATES = ['active', 'invited', 'deactivated'] as const;

export interface UsersSearch {
  readonly q?: string;
  readonly role?: Role;
  readonly state?: (typeof USER_STATES)[number];
}

export function readUsersSearch(search: Record<string, unknown>): UsersSearch {
  const role = ROLES.find((each) => each === search.role);
  const state = USER_STATES.find((each) => each === search.state);
  return {
    ...(typeof search.q === 'string' && search.q !== '' && { q: search.q.slice(0, 200) }),
    ...(role && { role }),
    ...(state && { state }),
  };
}
