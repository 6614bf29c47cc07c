/** Asks the authorization server of an integration link for tokens: plain OAuth 2.0 (RFC 6749), without an account. */
import type { LinkSettings } from '@weft/shapes';
import { parseJson } from '@weft/kernel';
import { EgressError, type EgressClient, type EgressResponse } from '@weft/egress';
import { assumeRole, type RoleLink } from './assume-role.js';
import { OidcFailure, type IssuedTokens } from './identity-provider.js';
import { ASSUMED_LIFE_MS } from './stored-tokens.js';

const TIMEOUT_MS = 8_000;
const MAX_RESPONSE_BYTES = 262_144;
const MAX_TOKEN_CHARS = 16_384;
/** A token with a shorter life could never be used: it is not, five seconds before its end. */
const LEAST_LIFE_SECONDS = 10;
const MOST_LIFE_SECONDS = 366 * 86_400;
/** What the server says is wrong with the client or its grant: asking again does not help. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['invalid_grant', 'access_denied', 'unauthorized_client'],
  // GitHub and Slack, with status 200
  ...['bad_refresh_token', 'invalid_refresh_token'],
]);
/** What a server may say: RFC 6749 §5.2 and §4.1.2.1, RFC 8628, RFC 8707, OpenID Connect. Any other word could be what it was sent. */
const KNOWN: ReadonlySet<string> = new Set([
  ...REFUSALS,
  ...['invalid_request', 'invalid_client', 'unsupported_grant_type', 'unsupported_response_type', 'invalid_scope'],
  ...['server_error', 'temporarily_unavailable', 'authorization_pending', 'slow_down', 'expired_token'],
  ...['invalid_target', 'interaction_required', 'login_required', 'consent_required', 'account_selection_required'],
]);
const VISIBLE = /^[\x21-\x7e]+$/;

/** The client of a link. */
export interface OAuthClient {
  readonly settings: LinkSettings;
  /** Null: a public client, protected by PKCE alone. */
  readonly secret: string | null;
}

export interface CodeExchange {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

export class TokenEndpoint {
  /** @param now epoch ms, from which expiries are counted */
  constructor(
    private readonly http: Pick<EgressClient, 'request'>,
    private readonly now: () => number,
  ) {}

  /** @throws OidcFailure `refresh_refused`, `provider_unavailable` */
  async clientCredentials(client: OAuthClient, scopes: readonly string[]): Promise<IssuedTokens> {
    const answer = await this.ask(client, { grant_type: 'client_credentials', ...scopeOf(scopes) });
    const tokens = this.tokensIn(answer, scopes);
    const expiresAt = tokens.expiresAt ?? new Date(this.now() + ASSUMED_LIFE_MS);
    return { ...tokens, refreshToken: null, expiresAt };
  }

  /** @throws OidcFailure `invalid_response`, `provider_unavailable` */
  assumeRole(link: RoleLink): Promise<IssuedTokens> {
    return assumeRole(this.http, link);
  }

  /** @throws OidcFailure `refresh_refused`, `provider_unavailable` */
  async refresh(client: OAuthClient, refreshToken: string, scopes: readonly string[]): Promise<IssuedTokens> {
    const answer = await this.ask(client, { grant_type: 'refresh_token', refresh_token: refreshToken });
    const tokens = this.tokensIn(answer, scopes);
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  }

  /** @throws OidcFailure `invalid_response`, `provider_unavailable` */
  async exchange(client: OAuthClient, { code, codeVerifier, redirectUri }: CodeExchange, scopes: readonly string[]) {
    const fields = { grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUri };
    try {
      return this.tokensIn(await this.ask(client, fields), scopes);
    } catch (error) {
      if (!(error instanceof OidcFailure) || error.code !== 'refresh_refused') throw error;
      throw new OidcFailure('invalid_response', error.message, { cause: error });
    }
  }

  private async ask(client: OAuthClient, fields: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    const { token_url: url = '', client_id: id = '', client_auth = 'basic', audience, resource } = client.settings;
    const { secret } = client;
    const inHeader = secret !== null && client_auth === 'basic';
    const form = new URLSearchParams({
      ...fields,
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
      ...(!inHeader && { client_id: id }),
      ...(secret !== null && !inHeader && { client_secret: secret }),
    });
    const login = `${formEncoded(id)}:${formEncoded(secret ?? '')}`;
    let response: EgressResponse;
    try {
      response = await this.http.request({
        ...{ method: 'POST', url, body: form.toString() },
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          ...(inHeader && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
        },
        ...{ timeoutMs: TIMEOUT_MS, maxRedirects: 0, maxResponseBytes: MAX_RESPONSE_BYTES },
      });
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      throw new OidcFailure('provider_unavailable', error.message, { cause: error });
    }
    return readAnswer(response);
  }

  private tokensIn(answer: Readonly<Record<string, unknown>>, askedFor: readonly string[]): IssuedTokens {
    const { access_token, refresh_token, expires_in, scope } = answer;
    if (!isToken(access_token)) throw new OidcFailure('invalid_response', 'the server sent no access token');
    const seconds = typeof expires_in === 'string' ? Number(expires_in) : expires_in;
    // with 0, -1 or an empty text servers say that they do not know
    const isKnown = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
    const lifeSeconds = isKnown ? Math.min(Math.max(seconds, LEAST_LIFE_SECONDS), MOST_LIFE_SECONDS) : null;
    return {
      accessToken: access_token,
      refreshToken: isToken(refresh_token) ? refresh_token : null,
      expiresAt: lifeSeconds === null ? null : new Date(this.now() + lifeSeconds * 1_000),
      scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean).slice(0, 100) : askedFor,
    };
  }
}

function readAnswer({ statusCode, body }: EgressResponse): Record<string, unknown> {
  const answer = parsed(body);
  const isSuccess = statusCode >= 200 && statusCode < 300;
  if (isSuccess && answer && !hasError(answer)) return answer;
  const error = typeof answer?.error === 'string' && KNOWN.has(answer.error) ? answer.error : null;
  const isRefusal = error !== null && REFUSALS.has(error);
  const code = isRefusal
    ? 'refresh_refused'
    : isClientFault(statusCode, error)
      ? 'invalid_response'
      : 'provider_unavailable';
  throw new OidcFailure(code, error ?? `it answered ${statusCode}`);
}

/** Some servers name the error of a success: null or an empty text. */
function hasError({ error }: Readonly<Record<string, unknown>>): boolean {
  return error !== undefined && error !== null && error !== '';
}

/** Wrong settings, and not a server that is down or busy. */
function isClientFault(statusCode: number, error: string | null): boolean {
  return error === null
    ? statusCode < 500 && statusCode !== 429 && statusCode !== 408
    : error !== 'temporarily_unavailable';
}

function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    const answer: unknown = parseJson(body);
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? { ...answer } : null;
  } catch {
    return null;
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TOKEN_CHARS && VISIBLE.test(value);
}

function scopeOf(scopes: readonly string[]): { readonly scope?: string } {
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') };
}

/** As RFC 6749 §2.3.1 asks for both halves of the login. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
