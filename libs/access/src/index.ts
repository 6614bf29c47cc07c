export { decidesApprovals, isAgent, mayDecideApproval, type PlayUnderApproval } from './approval-rights.js';
export {
  mayOnFlow,
  mayOnPlay,
  roleGives,
  rulesOver,
  type FlowCaller,
  type FlowPermission,
  type FlowUnderAccess,
  type PlayAction,
  type PlayUnderAccess,
} from './flow-rights.js';
export {
  GRANT_TYPES,
  HeldGrants,
  PERMISSIONS,
  RESOURCE_TYPES,
  grantedIds,
  grantedOnFlow,
  type Grant,
  type GrantType,
  type Permission,
  type ResourceType,
} from './grants.js';
export type { McpLimits, Principal } from './principal.js';
export { ROLES, keepsAll, reaches, type Role, type RoleRank } from './roles.js';
export { OPERATOR, SIGNED_IN, atLeast, flow, mayPass, specialist, type RouteRight } from './route-rights.js';
export {
  SESSION_ONLY,
  isSessionOnly,
  openingScopes,
  scopeAllows,
  scopes,
  seesAllPlays,
  seesOwnPlaysOnly,
  type RouteScope,
  type RouteScopes,
} from './route-scopes.js';
export { mayRunVersion, mayShareLaneOf } from './run-rights.js';
export { SCOPES, isScope, parseScopes, scopesNotCovered, type Scope } from './scopes.js';
