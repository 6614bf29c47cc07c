import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import {
  OidcClient,
  OidcFailure,
  ProviderDirectory,
  SecretBox,
  type AuthorizationChecks,
  type ExternalAccount,
  type IssuedTokens,
  type IdentityProvider,
  type SecretPlace,
} from '@weft/identity';
import { Mongo, SystemScope } from '@weft/store';
import { OAUTH_LOGINS, OAuthLoginRepository, type OAuthLoginDocument, type OAuthPurpose } from '@weft/records';
import { BrowserBinding, hashToken, randomToken, STATE_TTL_MS } from './browser-binding.js';
import { OAuthRefusal } from './oauth-refusal.js';

const NOBODY_YET = new SystemScope('who comes back from a provider is not known before');

/** What to ask a provider for, and where to go afterwards. */
export interface AuthorizationRequest {
  readonly provider: IdentityProvider;
  readonly purpose: OAuthPurpose;
  readonly returnTo: string;
  /** The signed-in user who asks for it; null for a sign-in. */
  readonly initiator: Pick<Principal, 'userId' | 'companyId' | 'credentialId'> | null;
}

/** What is stored until the browser comes back. */
export interface PendingAuthorization extends Pick<AuthorizationRequest, 'purpose' | 'returnTo' | 'initiator'> {
  readonly provider_id: string;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly linkDigest?: string;
}

type AuthorizationSecrets = Pick<AuthorizationChecks, 'state' | 'nonce' | 'codeVerifier'>;

/** What a provider's callback brought: the account, its tokens, and the request that it answers. */
export interface AuthorizationCallback {
  readonly login: OAuthLoginDocument;
  readonly provider: IdentityProvider;
  readonly account: ExternalAccount;
  readonly tokens: IssuedTokens;
}

/** The OAuth authorization code flow: PKCE, a `state` that is bound to the browser and valid once, and a `nonce`. */
@Injectable()
export class AuthorizationFlow {
  private readonly binding: BrowserBinding;

  constructor(
    private readonly mongo: Mongo,
    private readonly logins: OAuthLoginRepository,
    private readonly oidc: OidcClient,
    private readonly providers: ProviderDirectory,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.binding = new BrowserBinding(settings.session);
  }

  /**
   * @returns where to redirect the browser, and the `Set-Cookie` value to send with the redirect
   * @throws OidcFailure `provider_unavailable`
   */
  async begin({
    provider,
    purpose,
    returnTo,
    initiator,
  }: AuthorizationRequest): Promise<{ url: string; cookie: string }> {
    const { id: provider_id, issuer, redirectUri } = provider;
    const secrets = newSecrets();
    const url = await this.oidc.authorizationUrl(provider, { ...secrets, redirectUri }, purpose === 'connect');
    const { cookie } = await this.remember({ purpose, provider_id, issuer, redirectUri, returnTo, initiator }, secrets);
    return { url: url.href, cookie };
  }

  /** Stores what the callback is checked against, bound to a browser by the cookie. */
  async remember(
    { purpose, provider_id, issuer, redirectUri, returnTo, initiator, linkDigest }: PendingAuthorization,
    secrets: AuthorizationSecrets = newSecrets(),
  ): Promise<AuthorizationSecrets & { readonly cookie: string }> {
    const browser = randomToken();
    const id = hashToken(secrets.state);
    await this.logins.insert(NOBODY_YET, {
      _id: id,
      browser_hash: hashToken(browser),
      ...{ purpose, provider_id, issuer, redirect_uri: redirectUri, link_digest: linkDigest ?? null },
      code_verifier: this.secrets.seal(verifierPlace(id), secrets.codeVerifier),
      nonce: secrets.nonce,
      return_to: returnTo,
      user_id: initiator?.userId ?? null,
      company_id: initiator?.companyId ?? null,
      session_id: initiator?.credentialId ?? null,
      expires_at: new Date(this.mongo.serverNow() + STATE_TTL_MS),
    });
    return { ...secrets, cookie: this.binding.set(id, browser) };
  }

  /**
   * Takes the pending login that a callback's `state` names out of the store: a `state` is valid once, whatever follows.
   *
   * @param cookies of the request
   * @throws OAuthRefusal `invalid_state`
   */
  async redeemState(
    query: URLSearchParams,
    cookies: string | undefined,
  ): Promise<{ login: OAuthLoginDocument; state: string; cookie: string }> {
    const [state, ...more] = query.getAll('state');
    if (state === undefined || more.length > 0) throw new OAuthRefusal('invalid_state', 'there is no state');
    const id = hashToken(state);
    const browser = this.binding.read(cookies, id);
    const login = browser === undefined ? null : await this.logins.take(NOBODY_YET, id, hashToken(browser));
    if (!login) throw new OAuthRefusal('invalid_state', 'the state is not one that this browser set out with');
    if (login.expires_at.getTime() <= this.mongo.serverNow()) {
      throw new OAuthRefusal('invalid_state', 'the sign-in took too long');
    }
    return { login, state, cookie: this.binding.clear(id) };
  }

  /** The PKCE verifier of a pending login. */
  verifierOf({ _id, code_verifier }: OAuthLoginDocument): string {
    return this.secrets.open(verifierPlace(_id), code_verifier);
  }

  /**
   * Exchanges the callback's code for tokens and the account that they belong to.
   *
   * @throws OAuthRefusal with the provider's error
   */
  async exchangeCode(login: OAuthLoginDocument, state: string, query: URLSearchParams): Promise<AuthorizationCallback> {
    const provider = await this.providers.find(login.provider_id);
    // The provider's entry may have changed since the flow began; the code is valid for the issuer that the user saw.
    if (provider?.issuer !== login.issuer)
      throw new OAuthRefusal('unknown_provider', 'the provider is not there any more');
    const checks: AuthorizationChecks = {
      state,
      nonce: login.nonce,
      codeVerifier: this.verifierOf(login),
      redirectUri: login.redirect_uri,
    };
    try {
      return { login, provider, ...(await this.oidc.exchange(provider, query, checks)) };
    } catch (error) {
      if (error instanceof OidcFailure) throw new OAuthRefusal(error.code, error.message, {}, { cause: error });
      throw error;
    }
  }
}

function newSecrets(): AuthorizationSecrets {
  return { state: randomToken(), nonce: randomToken(), codeVerifier: randomToken() };
}

function verifierPlace(id: string): SecretPlace {
  return { companyId: null, collection: OAUTH_LOGINS, recordId: id, field: 'code_verifier' };
}
