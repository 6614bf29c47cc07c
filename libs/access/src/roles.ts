/**
 * The roles of specification §5.4, one per user and company. Four of them are a ladder; the three specialists see what a
 * viewer sees and do not outrank each other (design §8).
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

/** The rungs that a route can ask for. */
export type Rung = 'viewer' | 'executor' | 'editor' | 'admin';

const HEIGHT_OF_RUNG: Readonly<Record<Rung, number>> = { viewer: 1, executor: 2, editor: 3, admin: 4 };

const HEIGHT_OF_ROLE: Readonly<Record<Role, number>> = {
  admin: 4,
  flow_editor: 3,
  flow_executor: 2,
  viewer: 1,
  audit_viewer: 1,
  integration_manager: 1,
  analytics_viewer: 1,
  none: 0,
};

/** True when the role stands on that rung of the ladder or above it. */
export function reaches(role: Role, rung: Rung): boolean {
  return HEIGHT_OF_ROLE[role] >= HEIGHT_OF_RUNG[rung];
}

/**
 * True when whoever had `before` can still do all of it with `after`: then the change took nothing away. Specialists do not
 * stand in for each other, nor for a rung above the viewer's.
 */
export function keepsAll(before: Role, after: Role): boolean {
  if (before === after || after === 'admin' || before === 'none') return true;
  const isSpecialist = LADDER.every((role) => role !== before);
  return !isSpecialist && HEIGHT_OF_ROLE[after] >= HEIGHT_OF_ROLE[before];
}

const LADDER: readonly Role[] = ['none', 'viewer', 'flow_executor', 'flow_editor', 'admin'];
