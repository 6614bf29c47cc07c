import type { Role } from './roles.js';
import type { Scope } from './scopes.js';

/** What an API key may do through MCP besides its scope and its user's rights; a field that is missing limits nothing. */
export interface McpLimits {
  /** Only these flows, and no new ones. */
  readonly flow_ids?: readonly string[];
  /** Only disabled flows are written, and none is enabled. */
  readonly drafts_only?: boolean;
  /** It decides approvals, except of plays that it may have started itself. */
  readonly decide_approvals?: boolean;
  /** Plays that it starts in a minute. */
  readonly plays_per_minute?: number;
}

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
  /** Of API keys that have some. */
  readonly mcp?: McpLimits;
}
