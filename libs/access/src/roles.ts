/**
 * The roles of docs/http-api.md §1.8, one per user and company. Four of them have ranks, one above the other; the three
 * specialists see what a viewer sees, and none of them outranks another.
 */
export const ROLES = [
  'admin',
  'flow_editor',
  'flow_executor',
  'viewer',
  'audit_viewer',
  'integration_manager',
  'analytics_viewer',
  'none',
] as const;
export type Role = (typeof ROLES)[number];

/** The ranks that a right can ask for, lowest first. */
export type RoleRank = 'viewer' | 'executor' | 'editor' | 'admin';

const LEVEL_OF_RANK: Readonly<Record<RoleRank, number>> = { viewer: 1, executor: 2, editor: 3, admin: 4 };

const LEVEL_OF_ROLE: Readonly<Record<Role, number>> = {
  admin: 4,
  flow_editor: 3,
  flow_executor: 2,
  viewer: 1,
  audit_viewer: 1,
  integration_manager: 1,
  analytics_viewer: 1,
  none: 0,
};

/** True when the role has this rank or a higher one. */
export function reaches(role: Role, rank: RoleRank): boolean {
  return LEVEL_OF_ROLE[role] >= LEVEL_OF_RANK[rank];
}

/**
 * True when a user whose role changes from `before` to `after` keeps every right. A specialist role does not replace another
 * specialist role, nor a rank above the viewer's.
 */
export function keepsAll(before: Role, after: Role): boolean {
  if (before === after || after === 'admin' || before === 'none') return true;
  const isSpecialist = RANKED.every((role) => role !== before);
  return !isSpecialist && LEVEL_OF_ROLE[after] >= LEVEL_OF_ROLE[before];
}

const RANKED: readonly Role[] = ['none', 'viewer', 'flow_executor', 'flow_editor', 'admin'];
