export {
  FLOW_PERMISSIONS,
  mayOnFlow,
  mayOnPlay,
  type FlowCaller,
  type FlowPermission,
  type FlowUnderAccess,
  type PlayUnderAccess,
} from './flow-rights.js';
export type { Principal } from './principal.js';
export { ROLES, isRole, reaches, type Role, type Rung } from './roles.js';
export { WHO, mayPass, roleAllows, type Who } from './route-rights.js';
export {
  SCOPES,
  isScope,
  isSessionOnly,
  parseLetters,
  parseScopes,
  scopeAllows,
  scopesNotCovered,
  seesOwnPlaysOnly,
  type Scope,
} from './scopes.js';
