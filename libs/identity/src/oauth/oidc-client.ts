/** Speaks OpenID Connect with identity providers: authorization code with PKCE, by openid-client. It does not map accounts to users. */
import type { EgressClient } from '@weft/egress';
import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import { guardedFetch } from './guarded-fetch.js';
import { OidcFailure, type ExternalAccount, type IssuedTokens, type IdentityProvider } from './identity-provider.js';
import { readAccount } from './read-account.js';

const MAX_PROVIDERS = 200;
/** A provider's metadata is read again after this; its keys whenever one is missing. */
const METADATA_MS = 10 * 60_000;
const CLOCK_SKEW_SECONDS = 30;

/** The values that a provider's callback is checked against. */
export interface AuthorizationChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

export class OidcClient {
  private readonly fetch: oidc.CustomFetch;
  private readonly known = new LRUCache<string, Promise<oidc.Configuration>>({ max: MAX_PROVIDERS, ttl: METADATA_MS });

  /** @param now epoch ms, from which expiries are counted */
  constructor(
    http: EgressClient,
    private readonly now: () => number,
  ) {
    this.fetch = guardedFetch(http);
  }

  /**
   * The URL to redirect the browser to.
   *
   * @param keep true: requests a refresh token, which needs the user's consent
   * @throws OidcFailure `provider_unavailable`
   */
  async authorizationUrl(provider: IdentityProvider, checks: AuthorizationChecks, keep: boolean): Promise<URL> {
    const configuration = await this.configurationOf(provider);
    const offline = keep && configuration.serverMetadata().scopes_supported?.includes('offline_access');
    return oidc.buildAuthorizationUrl(configuration, {
      response_type: 'code',
      redirect_uri: checks.redirectUri,
      scope: [...new Set([...provider.scopes, ...(offline ? ['offline_access'] : [])])].join(' '),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
      ...(offline && { prompt: 'consent' }),
    });
  }

  /**
   * Exchanges the code of a callback for tokens and the account that they belong to.
   *
   * @param query of the callback
   * @throws OidcFailure `access_denied`, `invalid_response`, `provider_unavailable`
   */
  async exchange(
    provider: IdentityProvider,
    query: URLSearchParams,
    checks: AuthorizationChecks,
  ): Promise<{ readonly account: ExternalAccount; readonly tokens: IssuedTokens }> {
    const configuration = await this.configurationOf(provider, checks.redirectUri);
    const callback = new URL(checks.redirectUri);
    callback.search = query.toString();
    try {
      const answer = await oidc.authorizationCodeGrant(configuration, callback, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: true,
      });
      const claims = answer.claims();
      if (!claims) throw new OidcFailure('invalid_response', `${provider.name} sent no ID token`);
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const info = hasUserInfo ? await oidc.fetchUserInfo(configuration, answer.access_token, claims.sub) : null;
      return {
        account: readAccount(claims, info, provider.vouchesForEmails),
        tokens: this.readTokens(answer, provider.scopes),
      };
    } catch (error) {
      throw asFailure(error, provider, 'invalid_response');
    }
  }

  /** @throws OidcFailure `refresh_refused`, `provider_unavailable` */
  async refresh(provider: IdentityProvider, refreshToken: string, scopes: readonly string[]): Promise<IssuedTokens> {
    const configuration = await this.configurationOf(provider);
    try {
      const tokens = this.readTokens(await oidc.refreshTokenGrant(configuration, refreshToken), scopes);
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    } catch (error) {
      throw asFailure(error, provider, 'provider_unavailable');
    }
  }

  /**
   * Whether the provider accepts the access token.
   *
   * @returns null when the provider has no userinfo endpoint
   * @throws OidcFailure `provider_unavailable`
   */
  async takesToken(provider: IdentityProvider, accessToken: string): Promise<boolean | null> {
    const configuration = await this.configurationOf(provider);
    const endpoint = configuration.serverMetadata().userinfo_endpoint;
    if (endpoint === undefined) return null;
    try {
      const { ok, status } = await oidc.fetchProtectedResource(configuration, accessToken, new URL(endpoint), 'GET');
      if (ok || status === 401 || status === 403) return ok;
      throw new OidcFailure('provider_unavailable', `${provider.name} answered ${status}`);
    } catch (error) {
      if (error instanceof oidc.WWWAuthenticateChallengeError) return false;
      throw asFailure(error, provider, 'provider_unavailable');
    }
  }

  /** @param redirectUri sent with a code, exactly as it was sent in the authorization request */
  private async configurationOf(provider: IdentityProvider, redirectUri?: string): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = provider;
    const key = JSON.stringify([issuer, clientId, clientSecret, redirectUri]);
    let discovered = this.known.get(key);
    if (!discovered) {
      discovered = this.discover(provider, redirectUri);
      this.known.set(key, discovered);
    }
    try {
      return await discovered;
    } catch (error) {
      this.known.delete(key);
      throw asFailure(error, provider, 'provider_unavailable');
    }
  }

  private async discover(
    { issuer, clientId, clientSecret }: IdentityProvider,
    redirectUri: string | undefined,
  ): Promise<oidc.Configuration> {
    const server = new URL(issuer);
    const fetch: oidc.CustomFetch = (url, options) => {
      const { body } = options;
      // openid-client normalizes the redirect URI; the provider compares it character by character.
      if (redirectUri !== undefined && body instanceof URLSearchParams && body.has('redirect_uri')) {
        body.set('redirect_uri', redirectUri);
      }
      return this.fetch(url, options);
    };
    return oidc.discovery(
      server,
      clientId,
      { [oidc.clockTolerance]: CLOCK_SKEW_SECONDS },
      clientSecret === null ? oidc.None() : withSecret(clientSecret),
      {
        [oidc.customFetch]: fetch,
        execute: [
          // Verifies the ID token's signature although it comes from the provider itself: TLS may be terminated by somebody else.
          oidc.enableNonRepudiationChecks,
          // Issuers on plain http are accepted only for this machine, when they are stored.
          ...(server.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
  }

  private readTokens(answer: oidc.TokenEndpointResponse, askedFor: readonly string[]): IssuedTokens {
    const { access_token, refresh_token, expires_in, scope } = answer;
    return {
      accessToken: access_token,
      refreshToken: refresh_token ?? null,
      expiresAt: expires_in === undefined ? null : new Date(this.now() + expires_in * 1_000),
      scopes: scope?.split(' ').filter((name) => name !== '') ?? askedFor,
    };
  }
}

/** Sends the client secret as the provider's metadata says: in the header, which is the standard's default, or in the form. */
function withSecret(secret: string): oidc.ClientAuth {
  const basic = oidc.ClientSecretBasic(secret);
  const post = oidc.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isBasic = methods?.includes('client_secret_basic') ?? true;
    return (isBasic ? basic : post)(server, client, body, headers);
  };
}

function asFailure(
  error: unknown,
  { name }: IdentityProvider,
  otherwise: 'invalid_response' | 'provider_unavailable',
): OidcFailure {
  if (error instanceof OidcFailure) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    const code = error.error === 'access_denied' ? 'access_denied' : 'invalid_response';
    return new OidcFailure(code, `${name} answered ${error.error}`, { cause: error });
  }
  if (error instanceof oidc.ResponseBodyError) {
    const isRefused = error.error === 'invalid_grant';
    const code = isRefused && otherwise === 'provider_unavailable' ? 'refresh_refused' : otherwise;
    return new OidcFailure(code, `${name} answered ${error.error}`, { cause: error });
  }
  // A ClientError of openid-client without a code means that there was no answer.
  const isUnreached = error instanceof oidc.ClientError && error.code === undefined;
  const why = error instanceof Error ? error.message : String(error);
  return new OidcFailure(isUnreached ? 'provider_unavailable' : otherwise, `${name}: ${why}`, { cause: error });
}
