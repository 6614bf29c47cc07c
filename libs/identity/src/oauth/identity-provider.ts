import type { Role } from '@weft/access';

/** An identity provider as this process uses it, with its decrypted secret. */
export interface IdentityProvider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, protected by PKCE alone. */
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly autoCreateUsers: boolean;
  readonly autoAssignCompany: string | null;
  readonly autoAssignRole: Role;
  /** True: addresses count as verified when the provider does not say so, because the directory's admins assign them. */
  readonly vouchesForEmails: boolean;
}

/** The account that a user authorized at a provider. */
export interface ExternalAccount {
  /** The issuer in the ID token; for providers with many directories, that of the account's directory. */
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/** Tokens as a provider just issued them. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Null: the provider did not say. */
  readonly expiresAt: Date | null;
  readonly scopes: readonly string[];
}

export type OidcFailureCode =
  /** The user, or the provider on behalf of the user, refused. */
  | 'access_denied'
  /** The answer does not belong to our request: wrong state, issuer, nonce or signature, or a used code. */
  | 'invalid_response'
  /** The refresh token is no longer valid. */
  | 'refresh_refused'
  /** The provider is unreachable or does not work. */
  | 'provider_unavailable';

/** A call to a provider failed. The message is for the log. */
export class OidcFailure extends Error {
  override readonly name = 'OidcFailure';
  constructor(
    readonly code: OidcFailureCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
