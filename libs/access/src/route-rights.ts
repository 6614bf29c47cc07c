import type { Principal } from './principal.js';
import { reaches, type Role, type Rung } from './roles.js';

/** The "who" column of contract §1. `E:` rights are of one object: any signed-in caller passes here, the service decides with `mayOnFlow`. */
export const WHO = [
  'any',
  'viewer',
  'executor',
  'editor',
  'admin',
  'audit',
  'integ',
  'analytics',
  'op',
  'E:read',
  'E:execute',
  'E:edit',
  'E:delete',
] as const;
export type Who = (typeof WHO)[number];

const SPECIALIST: Readonly<Record<'audit' | 'integ' | 'analytics', Role>> = {
  audit: 'audit_viewer',
  integ: 'integration_manager',
  analytics: 'analytics_viewer',
};

/** Whether a role passes a route's "who". `op` is no role: see `mayPass`. */
export function roleAllows(role: Role, who: Exclude<Who, 'op'>): boolean {
  switch (who) {
    case 'any':
    case 'E:read':
    case 'E:execute':
    case 'E:edit':
    case 'E:delete':
      return true;
    case 'audit':
    case 'integ':
    case 'analytics':
      return role === 'admin' || role === SPECIALIST[who];
    default:
      return reaches(role, who satisfies Rung);
  }
}

/** Whether the caller passes a route that is open to any of `who`. */
export function mayPass(caller: Pick<Principal, 'role' | 'operator'>, who: readonly Who[]): boolean {
  return who.some((one) => (one === 'op' ? caller.operator : roleAllows(caller.role, one)));
}
