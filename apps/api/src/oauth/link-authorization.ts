import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { OidcFailure, openClient, SecretBox, type IssuedTokens, type OAuth } from '@weft/identity';
import { TenantScope } from '@weft/store';
import {
  INTEGRATIONS,
  IntegrationRepository,
  linkUse,
  type IntegrationDocument,
  type OAuthLoginDocument,
} from '@weft/records';
import { createHash } from 'node:crypto';
import { AuthorizationFlow } from './authorization-flow.js';
import { OAuthRefusal } from './oauth-refusal.js';
import { OAUTH } from './oauth.token.js';

export interface LinkConsent {
  readonly link: IntegrationDocument;
  readonly tokens: IssuedTokens;
}

/**
 * The authorization code flow of a link with an authorization server of its own: OAuth 2.0 with PKCE. State and browser are bound
 * as in a sign-in; there is no account, so nobody is signed in by it.
 */
@Injectable()
export class LinkAuthorization {
  constructor(
    private readonly flow: AuthorizationFlow,
    private readonly integrations: IntegrationRepository,
    private readonly secrets: SecretBox,
    @Inject(OAUTH) private readonly oauth: Pick<OAuth, 'endpoint' | 'providers'>,
  ) {}

  /** @returns where to redirect the browser, and the `Set-Cookie` value to send with the redirect */
  async begin(
    link: IntegrationDocument,
    returnTo: string,
    initiator: Pick<Principal, 'userId' | 'companyId' | 'credentialId'>,
  ): Promise<{ readonly url: string; readonly cookie: string }> {
    const { _id: provider_id, Settings: settings = {}, Scopes: scopes } = link;
    const { authorize_url = '', token_url: issuer = '', client_id = '', audience, resource } = settings;
    const redirectUri = this.oauth.providers.callbackUrl;
    const linkDigest = digestOf(link);
    const asked = {
      purpose: 'connect_link',
      provider_id,
      issuer,
      redirectUri,
      returnTo,
      initiator,
      linkDigest,
    } as const;
    const begun = await this.flow.remember(asked);
    const url = new URL(authorize_url);
    const fields: Readonly<Record<string, string>> = {
      ...{ response_type: 'code', client_id, redirect_uri: redirectUri, state: begun.state },
      code_challenge: createHash('sha256').update(begun.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    };
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    return { url: url.href, cookie: begun.cookie };
  }

  /** @throws OAuthRefusal */
  async exchangeCode(login: OAuthLoginDocument, query: URLSearchParams): Promise<LinkConsent> {
    const scope = login.company_id === null ? null : new TenantScope(login.company_id);
    const link = scope && (await this.integrations.find(scope, login.provider_id));
    // the consent is for the link that the user saw: where its code is exchanged, and where its tokens are sent
    if (link?.Kind !== 'oauth2' || digestOf(link) !== login.link_digest) {
      throw new OAuthRefusal('unknown_provider', 'the link is another one now');
    }
    assertAnswerOf(link, query.getAll('iss'));
    const code = query.get('code');
    if (code === null) {
      const isDenied = query.get('error') === 'access_denied';
      throw new OAuthRefusal(isDenied ? 'access_denied' : 'invalid_response', 'the server sent no code');
    }
    const codeVerifier = this.flow.verifierOf(login);
    const client = openClient(this.secrets, INTEGRATIONS, link);
    try {
      const exchange = { code, codeVerifier, redirectUri: login.redirect_uri };
      return { link, tokens: await this.oauth.endpoint.exchange(client, exchange, link.Scopes) };
    } catch (error) {
      if (error instanceof OidcFailure) throw new OAuthRefusal(error.code, error.message, {}, { cause: error });
      throw error;
    }
  }
}

/**
 * RFC 9207: a code of another server is not given to this one. A server that promised to name itself, and does not, may be another one.
 *
 * @throws OAuthRefusal `invalid_response`
 */
function assertAnswerOf({ Settings: settings = {} }: IntegrationDocument, named: readonly string[]): void {
  const { issuer, issuer_promised: isPromised = false } = settings;
  if (issuer === undefined) return;
  if (named.some((each) => each !== issuer)) throw new OAuthRefusal('invalid_response', 'another server has answered');
  if (isPromised && named.length === 0) {
    throw new OAuthRefusal('invalid_response', 'the answer does not name its server, which has promised that it does');
  }
}

function digestOf(link: IntegrationDocument): string {
  return createHash('sha256')
    .update(JSON.stringify(linkUse(link)))
    .digest('hex');
}
