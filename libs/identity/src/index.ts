export { AddressThrottle } from './address-throttle.js';
export { TOKEN_AUDIENCE, TOKEN_ISSUER, type ApiKeyClaims } from './api-key-claims.js';
export { ApiKeyTokens, refusalOf } from './api-key-tokens.js';
export { isCrossSite, isSafeMethod, type BrowserHeaders } from './browser-rule.js';
export { ApprovalLinks, type ApprovalLink } from './approval-links.js';
export { CallBackLinks, PlayLinks, type CallBack } from './call-back-links.js';
export { ClientAddress, networkOf } from './client-address.js';
export { CredentialChecker } from './credential-checker.js';
export { matchesAdminSettings, ensureFirstAdmin, type FirstAdmin, type FirstAdminOptions } from './first-admin.js';
export { GrantCache } from './grant-cache.js';
export { IdentityModule } from './identity.module.js';
export { LoginThrottle, type LoginAttempt } from './login-throttle.js';
export { identityOf, MemberSource, type MemberIdentity } from './member-source.js';
export { hashOneTimeToken, newOneTimeLink } from './one-time-token.js';
export { SharedLoginThrottle } from './shared-login-throttle.js';
export { NoSuchOperator, resetOperatorPassword, type NewPassword } from './operator-password.js';
export { PasswordHasher, type PasswordHasherOptions } from './password-hasher.js';
export { assertHashable, assertStrong } from './password-policy.js';
export { companyStopped, type VerifiedCredential } from './principal-source.js';
export { SESSION_COOKIE, hashSessionId, newSessionId, readCookie, sessionIdFromCookies } from './session-id.js';
export { Sessions, type RequestOrigin } from './sessions.js';
export {
  OidcFailure,
  type ExternalAccount,
  type IssuedTokens,
  type IdentityProvider,
} from './oauth/identity-provider.js';
export { TokenUnusable } from './oauth/fresh-tokens.js';
export { usableOf, type IntegrationTokens } from './oauth/integration-tokens.js';
export { OidcClient, type AuthorizationChecks } from './oauth/oidc-client.js';
export {
  type AuthorizationClient,
  type KnownClient,
  type ClientDocument,
  type FoundAuthorization,
} from './oauth/discover-authorization.js';
export { openOAuth, type OAuth } from './oauth/open-oauth.js';
export { clientSecretPlace, MICROSOFT, ProviderDirectory } from './oauth/provider-directory.js';
export { openClient, sealTokens } from './oauth/stored-tokens.js';
export { describeKeys, keyFaults, openSealedSecrets } from './secrets/backup-secrets.js';
export { ForeignSecrets, InstallationSecrets } from './secrets/installation-secrets.js';
export { rotateSecrets, type RotationReport } from './secrets/rotate-secrets.js';
export { SecretBox, SecretUnreadable, type SecretPlace } from './secrets/secret-box.js';
export { AuditKeyRing } from './secrets/audit-key-ring.js';
