/**
 * Decides what a caller may do with one flow and with its plays: docs/http-api.md §1.8.
 * Callers read the grants; this file only decides.
 */
import type { Permission } from './grants.js';
import type { Principal } from './principal.js';
import { reaches, type Role, type RoleRank } from './roles.js';

export type FlowPermission = Permission;

export interface FlowUnderAccess {
  readonly _id: string;
  readonly company_id: string;
  readonly createdBy: string;
  readonly groupId: string | null;
  /** True: a role alone gives no right; only admins, the creator and holders of grants have rights. */
  readonly restricted: boolean;
}

export interface PlayUnderAccess {
  /** Id of the user who started it; null when no user did (a schedule, a hook). */
  readonly triggeredBy: string | null;
}

/**
 * `control`: hold, release, cancel, resume, retry. `skip`: let a lane go on past the play. `delete`: erase.
 */
export type PlayAction = 'read' | 'control' | 'skip' | 'delete';

export type FlowCaller = Pick<Principal, 'userId' | 'companyId' | 'role'>;

/** The matrix row "Flows". */
const RANK_FOR: Readonly<Record<FlowPermission, RoleRank>> = {
  read: 'viewer',
  execute: 'executor',
  edit: 'editor',
  delete: 'admin',
};

/** Whether the role alone gives the permission on unrestricted flows that somebody else made. */
export function roleGives(role: Role, permission: FlowPermission): boolean {
  return reaches(role, RANK_FOR[permission]);
}

/**
 * The first two steps of docs/http-api.md §1.8: admins, and the creator unless the creator's role is `none`. They have every
 * permission, and decide which grants others get.
 */
export function rulesOver(caller: Pick<Principal, 'userId' | 'role'>, createdBy: string): boolean {
  return caller.role === 'admin' || (caller.role !== 'none' && caller.userId === createdBy);
}

/**
 * @param grantPermissions the permissions of all grants that apply to the caller and the flow: `grantedOnFlow`
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
 * The matrix row "Plays": callers who may read the flow see its plays; those who may edit the flow, and the one who started the
 * play if they may execute the flow, control it; admins erase it.
 */
export function mayOnPlay(
  caller: FlowCaller,
  action: PlayAction,
  play: PlayUnderAccess,
  flow: FlowUnderAccess,
  grantPermissions: readonly string[],
): boolean {
  if (!mayOnFlow(caller, 'read', flow, grantPermissions)) return false;
  if (action === 'read') return true;
  if (action === 'delete') return caller.role === 'admin';
  if (mayOnFlow(caller, 'edit', flow, grantPermissions)) return true;
  const isOwn = action === 'control' && play.triggeredBy === caller.userId;
  return isOwn && mayOnFlow(caller, 'execute', flow, grantPermissions);
}
