import type { LinkKind, LinkSettings } from '@weft/shapes';
import type { SchemaDefinition } from 'mongoose';

/** Tokens of a provider as they are stored, for integration links and for sign-ins alike. */
export interface TokenFields {
  /** Encrypted. */
  readonly AccessToken: string;
  /** Encrypted; null: when the access token expires, a user has to connect again. */
  readonly RefreshToken: string | null;
  /** Null: the provider did not say. */
  readonly TokenExpiry: Date | null;
  readonly Scopes: readonly string[];
  /** Where a refresh is requested; null for a token that a user entered by hand. */
  readonly ProviderID: string | null;
  /** The issuer of that provider when the tokens were issued: they are sent to no other provider. */
  readonly Issuer: string | null;
  /** When a refresh is due; null: never, or the provider refused it for good. */
  readonly RefreshAt: Date | null;
  /** Until this time one process is refreshing. */
  readonly RefreshLease: Date | null;
  /** That process. */
  readonly RefreshBy: string | null;
  /** Why the provider refused the last refresh for good. */
  readonly RefreshError: string | null;
}

/** Of integration links: how they are used, and with which client they get tokens from an authorization server of their own. */
export interface ClientFields {
  /** Absent in older links: `bearer`. */
  readonly Kind?: LinkKind;
  readonly Settings?: LinkSettings;
  /** Encrypted: of a client, or the keys with which those of a role are fetched. */
  readonly ClientSecret?: string | null;
  /** Of integration links: where the service is. */
  readonly Endpoint?: string | null;
}

export const tokenFields: SchemaDefinition<TokenFields> = {
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
