import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Settings } from '@weft/config';
import { SETTINGS } from '@weft/host';
import {
  OidcClient,
  OidcFailure,
  ProviderDirectory,
  SecretBox,
  type AuthorizationChecks,
  type ExternalAccount,
  type GivenTokens,
  type IdentityProvider,
  type SecretPlace,
} from '@weft/identity';
import {
  Mongo,
  OAUTH_LOGINS,
  OAuthLoginRepository,
  SystemScope,
  type OAuthLoginDocument,
  type OAuthPurpose,
} from '@weft/persistence';
import { BrowserBinding, hashToken, randomToken, WAY_BACK_MS } from './browser-binding.js';
import { OAuthRefusal } from './oauth-refusal.js';

const NOBODY_YET = new SystemScope('who comes back from a provider is not known before');

/** What somebody sets out for. */
export interface Departure {
  readonly provider: IdentityProvider;
  readonly purpose: OAuthPurpose;
  readonly returnTo: string;
  /** Whose session it is; null for a sign-in. */
  readonly traveller: Pick<Principal, 'userId' | 'companyId' | 'credentialId'> | null;
}

/** Who came back, from where, with what. */
export interface Arrival {
  readonly way: OAuthLoginDocument;
  readonly provider: IdentityProvider;
  readonly account: ExternalAccount;
  readonly tokens: GivenTokens;
}

/** The way to a provider and back: PKCE, `state` bound to the browser and good once, `nonce`. */
@Injectable()
export class OAuthWays {
  private readonly ways: OAuthLoginRepository;
  private readonly binding: BrowserBinding;

  constructor(
    private readonly mongo: Mongo,
    private readonly oidc: OidcClient,
    private readonly providers: ProviderDirectory,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.ways = new OAuthLoginRepository(mongo);
    this.binding = new BrowserBinding(settings.session);
  }

  /**
   * @returns where to send the browser, and the `Set-Cookie` value that it must have
   * @throws OidcFailure `provider_unavailable`
   */
  async setOut({ provider, purpose, returnTo, traveller }: Departure): Promise<{ url: string; cookie: string }> {
    const [state, nonce, codeVerifier, browser] = [randomToken(), randomToken(), randomToken(), randomToken()];
    const { redirectUri } = provider;
    const checks = { state, nonce, codeVerifier, redirectUri };
    const url = await this.oidc.authorizationUrl(provider, checks, purpose === 'connect');
    const id = hashToken(state);
    await this.ways.insert(NOBODY_YET, {
      _id: id,
      browser_hash: hashToken(browser),
      purpose,
      provider_id: provider.id,
      issuer: provider.issuer,
      redirect_uri: redirectUri,
      code_verifier: this.secrets.seal(verifierPlace(id), codeVerifier),
      nonce,
      return_to: returnTo,
      user_id: traveller?.userId ?? null,
      company_id: traveller?.companyId ?? null,
      session_id: traveller?.credentialId ?? null,
      expires_at: new Date(this.mongo.serverNow() + WAY_BACK_MS),
    });
    return { url: url.href, cookie: this.binding.set(id, browser) };
  }

  /**
   * The record of the way that a callback ends, taken out of the store: whatever comes of it, it is over.
   *
   * @param cookies of the request
   * @throws OAuthRefusal `invalid_state`
   */
  async end(
    query: URLSearchParams,
    cookies: string | undefined,
  ): Promise<{ way: OAuthLoginDocument; state: string; cookie: string }> {
    const [state, ...more] = query.getAll('state');
    if (state === undefined || more.length > 0) throw new OAuthRefusal('invalid_state', 'there is no state');
    const id = hashToken(state);
    const browser = this.binding.read(cookies, id);
    const way = browser === undefined ? null : await this.ways.take(NOBODY_YET, id, hashToken(browser));
    if (!way) throw new OAuthRefusal('invalid_state', 'the state is not one that this browser set out with');
    if (way.expires_at.getTime() <= this.mongo.serverNow()) {
      throw new OAuthRefusal('invalid_state', 'the sign-in took too long');
    }
    return { way, state, cookie: this.binding.clear(id) };
  }

  /** @throws OAuthRefusal of what the provider said */
  async arrive(way: OAuthLoginDocument, state: string, query: URLSearchParams): Promise<Arrival> {
    const provider = await this.providers.find(way.provider_id);
    // Its entry may have changed on the way: the code is for the one that the user saw.
    if (provider?.issuer !== way.issuer)
      throw new OAuthRefusal('unknown_provider', 'the provider is not there any more');
    const checks: AuthorizationChecks = {
      state,
      nonce: way.nonce,
      codeVerifier: this.secrets.open(verifierPlace(way._id), way.code_verifier),
      redirectUri: way.redirect_uri,
    };
    try {
      return { way, provider, ...(await this.oidc.exchange(provider, query, checks)) };
    } catch (error) {
      if (error instanceof OidcFailure) throw new OAuthRefusal(error.code, error.message, {}, { cause: error });
      throw error;
    }
  }
}

function verifierPlace(id: string): SecretPlace {
  return { companyId: null, collection: OAUTH_LOGINS, recordId: id, field: 'code_verifier' };
}
