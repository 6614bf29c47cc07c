/**
 * What docs/http-api.md §1.8 and §1.9 say about roles, scopes and flows, as plain tables. Nothing is imported from the code
 * that these are held against; the names are types only.
 */
import type { Permission, Role, Scope } from '@weft/access';
import type { ContractRoute, Who } from './contract-routes.js';

export const ALL_ROLES = [
  ...(['admin', 'flow_editor', 'flow_executor', 'viewer', 'audit_viewer'] as const),
  ...(['integration_manager', 'analytics_viewer', 'none'] as const),
] satisfies readonly Role[];

export const ALL_SCOPES = [
  ...(['api', 'api:read', 'read', 'api:flows', 'api:plays'] as const),
  ...(['mcp', 'flow:execute', 'webhooks', 'admin'] as const),
] satisfies readonly Scope[];

/** Which roles are meant by a word of the column "who". */
const MEANT: Readonly<Record<Exclude<Who, 'public' | 'op'>, readonly Role[]>> = {
  any: ALL_ROLES,
  viewer: ALL_ROLES.filter((role) => role !== 'none'),
  executor: ['admin', 'flow_editor', 'flow_executor'],
  editor: ['admin', 'flow_editor'],
  admin: ['admin'],
  audit: ['admin', 'audit_viewer'],
  integ: ['admin', 'integration_manager'],
  analytics: ['admin', 'analytics_viewer'],
  'E:read': ALL_ROLES,
  'E:execute': ALL_ROLES,
  'E:edit': ALL_ROLES,
  'E:delete': ALL_ROLES,
};

const LETTER: Readonly<Record<Scope, string>> = {
  api: 'A',
  'api:read': 'R',
  read: 'R',
  'api:flows': 'F',
  'api:plays': 'P',
  mcp: 'M',
  'flow:execute': 'X',
  webhooks: 'W',
  admin: 'S',
};

export interface Asker {
  readonly role: Role;
  readonly operator: boolean;
  /** The one scope of a key; null for a session. */
  readonly scope: Scope | null;
}

/** The error code with which a route must answer before it reads anything; null if it admits the caller. */
export function expectedRefusal(route: ContractRoute, asker: Asker, method: string): string | null {
  if (route.who.includes('public')) return null;
  if (asker.scope !== null) {
    const letters = route.scopes.filter((letter) => letter !== 'R' || method === 'GET' || method === 'HEAD');
    if (!letters.includes(LETTER[asker.scope])) {
      return route.scopes.join() === 'C' ? 'session_required' : 'insufficient_scope';
    }
  }
  const passes = route.who.some((who) => (who === 'op' ? asker.operator : rolesOf(who).includes(asker.role)));
  if (passes) return null;
  return route.who.includes('op') ? 'operator_required' : 'denied';
}

function rolesOf(who: Who): readonly Role[] {
  return who === 'public' || who === 'op' ? [] : MEANT[who];
}

/** The matrix row "Flows", for a flow that is not restricted and was made by somebody else. */
const FLOWS_ROW: Readonly<Record<Role, readonly Permission[]>> = {
  admin: ['read', 'execute', 'edit', 'delete'],
  flow_editor: ['read', 'execute', 'edit'],
  flow_executor: ['read', 'execute'],
  viewer: ['read'],
  audit_viewer: ['read'],
  integration_manager: ['read'],
  analytics_viewer: ['read'],
  none: [],
};

/**
 * What is done with the plays of a flow, and the permissions on the flow of which one is enough, besides `read` where the first
 * word is not `run` or `name`: docs/access.md.
 */
export const PLAYS_ROWS = {
  'read a play': ['read'],
  'command the play of another': ['edit'],
  'command the own play': ['execute', 'edit'],
  'skip the own play in its lane': ['edit'],
  'decide an approval that names nobody': ['edit'],
  'decide an approval that names the caller': ['read'],
  'run the published version': ['read', 'execute', 'edit', 'delete'],
  'run another version': ['edit'],
  'name a lane of the flow for another flow': ['execute'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;
export type PlaysRow = keyof typeof PLAYS_ROWS;

/** Of a flow that somebody else made. */
export function expectedOnPlays(
  row: PlaysRow,
  role: Role,
  isRestricted: boolean,
  grants: readonly Permission[],
): boolean {
  const may = (permission: Permission): boolean =>
    role === 'admin' || grants.includes(permission) || (!isRestricted && FLOWS_ROW[role].includes(permission));
  if (row === 'run the published version') return true; // who may execute the flow, which is judged before
  const needsRead = !/^(run|name) /.test(row);
  return (!needsRead || may('read')) && (role === 'admin' || PLAYS_ROWS[row].some(may));
}

/** The relation of a caller to a flow. All but `plain` are restricted, so that the role alone allows nothing. */
export const RELATIONS = [
  'own',
  'granted',
  'group-granted',
  'flow-group-granted',
  'granted something else',
  'plain',
  'restricted',
  'foreign',
] as const;
export type Relation = (typeof RELATIONS)[number];

/** docs/http-api.md §1.8, in its order: admin; creator (unless without role); grant; else the row, unless restricted. */
export function expectedOnFlow(role: Role, relation: Relation, permission: Permission): boolean {
  if (relation === 'foreign') return false;
  if (role === 'admin') return true;
  if (relation === 'own') return role !== 'none';
  if (relation === 'granted' || relation === 'group-granted' || relation === 'flow-group-granted') return true;
  return relation === 'plain' && FLOWS_ROW[role].includes(permission);
}
