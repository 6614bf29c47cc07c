import type { Role } from '@weft/access';

/** An identity provider as this process uses it: its secret is open. */
export interface IdentityProvider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly autoCreateUsers: boolean;
  readonly autoAssignCompany: string | null;
  readonly autoAssignRole: Role;
  /** An address counts as verified although the provider says nothing of it: a directory whose own admins give addresses out. */
  readonly vouchesForEmails: boolean;
}

/** Who came back from a provider. */
export interface ExternalAccount {
  /** As the token has it; for providers with many directories, the one of the account. */
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/** Tokens fresh from a provider. */
export interface GivenTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Null: the provider did not say. */
  readonly expiresAt: Date | null;
  readonly scopes: readonly string[];
}

export type OidcFailureCode =
  /** The user, or the provider for the user, said no. */
  | 'access_denied'
  /** The answer is none of ours: wrong state, issuer, nonce, signature, a code that was used. */
  | 'invalid_response'
  /** A refresh token that is worth nothing any more. */
  | 'refresh_refused'
  /** It could not be reached, or does not work. */
  | 'provider_unavailable';

/** A call to a provider that did not bring what it was for. The message is for the log. */
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
