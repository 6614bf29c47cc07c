import type { Role } from './roles.js';
import type { Scope } from './scopes.js';

/** Who is calling, as MongoDB says at most a second ago: role and company are never taken from a token. */
export interface Principal {
  readonly userId: string;
  readonly email: string;
  /** The company that this call acts in, and the only one whose data it sees. */
  readonly companyId: string;
  readonly role: Role;
  /** May do what is above companies. */
  readonly operator: boolean;
  readonly auth: 'session' | 'api_key';
  /** A session has all. */
  readonly scopes: readonly Scope[];
  readonly groupIds: readonly string[];
  /** Id of the session record or of the API key. */
  readonly credentialId: string;
  readonly expiresAt: Date;
}
