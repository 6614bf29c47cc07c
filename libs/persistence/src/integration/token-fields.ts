import type { SchemaDefinition } from 'mongoose';

/** Tokens of a provider as they lie in the store, for integration links and for sign-ins alike. */
export interface TokenFields {
  /** Sealed. */
  readonly AccessToken: string;
  /** Sealed; null: when the access token ends, somebody has to connect again. */
  readonly RefreshToken: string | null;
  /** Null: the provider did not say. */
  readonly TokenExpiry: Date | null;
  readonly Scopes: readonly string[];
  /** Where a refresh is asked for; null for a token that somebody typed in. */
  readonly ProviderID: string | null;
  /** Of that provider when the tokens were given: they are shown to no other. */
  readonly Issuer: string | null;
  /** From when on a refresh is due; null: never, or it was refused for good. */
  readonly RefreshAt: Date | null;
  /** Until then one process is refreshing. */
  readonly RefreshLease: Date | null;
  /** Which process that is. */
  readonly RefreshBy: string | null;
  /** Why the provider refused the last refresh for good. */
  readonly RefreshError: string | null;
}

export const tokenFields: SchemaDefinition = {
  AccessToken: { type: String, required: true },
  RefreshToken: { type: String, default: null },
  TokenExpiry: { type: Date, default: null },
  Scopes: { type: [String], required: true },
  ProviderID: { type: String, default: null },
  Issuer: { type: String, default: null },
  RefreshAt: { type: Date, default: null },
  RefreshLease: { type: Date, default: null },
  RefreshBy: { type: String, default: null },
  RefreshError: { type: String, default: null },
};
