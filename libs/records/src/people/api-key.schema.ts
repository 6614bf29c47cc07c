import type { McpLimits, Scope } from '@weft/access';
import { Schema } from 'mongoose';

export const API_KEYS = 'api_keys';

/** An API key without its token, which nobody keeps. Revoked and expired keys stay as records. */
export interface ApiKeyDocument {
  readonly _id: string;
  readonly name: string;
  /** Whose rights the key has. */
  readonly user_id: string;
  readonly company_id: string;
  readonly scope: readonly Scope[];
  /** Whole seconds, as in the token. */
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly created_by: string;
  readonly revoked_at: Date | null;
  /** At most a minute older than the last use. */
  readonly last_used_at: Date | null;
  /** Missing: no limits. */
  readonly mcp?: McpLimits;
}

export const apiKeySchema = new Schema<ApiKeyDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    user_id: { type: String, required: true },
    company_id: { type: String, required: true },
    scope: { type: [String], required: true },
    expires_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    revoked_at: { type: Date, default: null },
    last_used_at: { type: Date, default: null },
    mcp: { type: Schema.Types.Mixed },
  },
  { collection: API_KEYS, versionKey: false },
);

// The keys of a company, newest first; those of one user of it.
apiKeySchema.index({ company_id: 1, _id: -1 });
apiKeySchema.index({ company_id: 1, user_id: 1, _id: -1 });
