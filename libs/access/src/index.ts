export {
  mayOnFlow,
  mayOnPlay,
  roleGives,
  rulesOver,
  type FlowCaller,
  type FlowPermission,
  type FlowUnderAccess,
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
export type { Principal } from './principal.js';
export { ROLES, keepsAll, reaches, type Role, type Rung } from './roles.js';
export { mayPass, type Who } from './route-rights.js';
export {
  SCOPES,
  isScope,
  isSessionOnly,
  openingScopes,
  parseLetters,
  parseScopes,
  scopeAllows,
  scopesNotCovered,
  seesOwnPlaysOnly,
  type Scope,
} from './scopes.js';
