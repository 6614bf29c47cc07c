/**
 * Decides what a caller may do with one flow and with its plays: specification §5.4 (order and matrix), contract §1 (`E:`).
 * Reading grants is left to the caller; this only judges.
 */
import type { Permission } from './grants.js';
import type { Principal } from './principal.js';
import { reaches, type Role, type Rung } from './roles.js';

export type FlowPermission = Permission;

export interface FlowUnderAccess {
  readonly _id: string;
  readonly company_id: string;
  readonly createdBy: string;
  readonly groupId: string | null;
  /** Nobody gets in by the role alone: only admins, the creator and grants. */
  readonly restricted: boolean;
}

export interface PlayUnderAccess {
  /** User id of who started it; null when nobody did (a schedule, a hook). */
  readonly triggeredBy: string | null;
}

export type FlowCaller = Pick<Principal, 'userId' | 'companyId' | 'role'>;

/** The matrix row "Flows". */
const RUNG_FOR: Readonly<Record<FlowPermission, Rung>> = {
  read: 'viewer',
  execute: 'executor',
  edit: 'editor',
  delete: 'admin',
};

/** Whether the role's row of the matrix has the permission: what it gives on flows of others that are not restricted. */
export function roleGives(role: Role, permission: FlowPermission): boolean {
  return reaches(role, RUNG_FOR[permission]);
}

/**
 * The first two steps of specification §5.4: admins, and whoever made the thing unless without role. They may everything, and
 * decide who else may what.
 */
export function rulesOver(caller: Pick<Principal, 'userId' | 'role'>, createdBy: string): boolean {
  return caller.role === 'admin' || (caller.role !== 'none' && caller.userId === createdBy);
}

/**
 * @param grantPermissions the permissions of every grant that reaches the caller here: `grantedOnFlow`
 */
export function mayOnFlow(
  caller: FlowCaller,
  permission: FlowPermission,
  flow: FlowUnderAccess,
  grantPermissions: readonly string[],
): boolean {
  if (caller.companyId !== flow.company_id) return false;
  if (rulesOver(caller, flow.createdBy)) return true;
  if (grantPermissions.includes(permission)) return true;
  return !flow.restricted && roleGives(caller.role, permission);
}

/**
 * The matrix row "Plays": seen by who may read the flow; held, resumed, cancelled by editors, and by who started it and may
 * run the flow; erased by admins.
 */
export function mayOnPlay(
  caller: FlowCaller,
  action: 'read' | 'control' | 'delete',
  play: PlayUnderAccess,
  flow: FlowUnderAccess,
  grantPermissions: readonly string[],
): boolean {
  if (!mayOnFlow(caller, 'read', flow, grantPermissions)) return false;
  if (action === 'read') return true;
  if (action === 'delete') return caller.role === 'admin';
  if (reaches(caller.role, 'editor')) return true;
  return play.triggeredBy === caller.userId && mayOnFlow(caller, 'execute', flow, grantPermissions);
}
