/** The rights that routes ask for, and who has them. */
import type { Permission } from './grants.js';
import type { Principal } from './principal.js';
import { reaches, type Role, type RoleRank } from './roles.js';

type SpecialistRole = Extract<Role, 'audit_viewer' | 'integration_manager' | 'analytics_viewer'>;

/** One right that opens a route. */
export type RouteRight =
  | { readonly kind: 'signed_in' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'rank'; readonly rank: RoleRank }
  | { readonly kind: 'specialist'; readonly role: SpecialistRole }
  | { readonly kind: 'flow'; readonly permission: Permission };

/** Open to everybody who is signed in, or who has a key with a matching scope. */
export const SIGNED_IN: RouteRight = { kind: 'signed_in' };

/** Open to operators of the installation, whatever their role. */
export const OPERATOR: RouteRight = { kind: 'operator' };

/** Open to roles of this rank or a higher one. */
export function atLeast(rank: RoleRank): RouteRight {
  return { kind: 'rank', rank };
}

/** Open to this role and to admins. */
export function specialist(role: SpecialistRole): RouteRight {
  return { kind: 'specialist', role };
}

/**
 * Open to those who may do this with the flow (or with the flow of the play) that the request names. Every signed-in caller
 * passes the route's guard: the service decides with `mayOnFlow`, because the right depends on the flow.
 */
export function flow(permission: Permission): RouteRight {
  return { kind: 'flow', permission };
}

/** Whether the caller passes a route that is open to whoever has one of `rights`. */
export function mayPass(caller: Pick<Principal, 'role' | 'operator'>, rights: readonly RouteRight[]): boolean {
  return rights.some((right) => hasRight(caller, right));
}

function hasRight({ role, operator }: Pick<Principal, 'role' | 'operator'>, right: RouteRight): boolean {
  switch (right.kind) {
    case 'signed_in':
    case 'flow':
      return true;
    case 'operator':
      return operator;
    case 'rank':
      return reaches(role, right.rank);
    case 'specialist':
      return role === 'admin' || role === right.role;
  }
}
