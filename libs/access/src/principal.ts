import type { Role } from './roles.js';
import type { Scope } from './scopes.js';

/** The caller, read from MongoDB at most a second ago: role and company are never taken from a token. */
export interface Principal {
  readonly userId: string;
  readonly email: string;
  /** The company that this request acts in, and the only one whose data it can read. */
  readonly companyId: string;
  readonly role: Role;
  /** May administer the installation, across companies. */
  readonly operator: boolean;
  readonly auth: 'session' | 'api_key';
  /** A session has all scopes. */
  readonly scopes: readonly Scope[];
  readonly groupIds: readonly string[];
  /** Id of the session record or of the API key. */
  readonly credentialId: string;
  readonly expiresAt: Date;
}
