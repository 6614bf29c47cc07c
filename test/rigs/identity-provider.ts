import { generateKeyPairSync, randomUUID, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider, { type Configuration } from 'oidc-provider';
import { request } from 'undici';

/** The provider's claims about a user. */
export interface ProviderAccount {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface IdentityProviderRig {
  /** Scheme `http`, host `localhost`: another site than 127.0.0.1. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By login. Any other login can sign in, too, and has no e-mail address. */
  readonly accounts: Map<string, ProviderAccount>;
  /** Requested paths, after the method. */
  readonly asked: readonly string[];
  /** From now on, it publishes other keys than those that sign its tokens, with the same key ids. */
  publishOtherKeys(): void;
  /** Opens the form in a browser, signs in there (null: refuses), and returns the address to which the browser is redirected. */
  walk(authorizeUrl: string, login: string | null): Promise<URL>;
  close(): Promise<void>;
}

export interface IdentityProviderOptions {
  readonly redirectUris: readonly string[];
  /** Seconds that an access token lives, default an hour. */
  readonly accessTokenSeconds?: number;
}

/** A real OpenID provider (npm `oidc-provider`) on the loopback address, with a form of one field. */
export async function identityProvider(options: IdentityProviderOptions): Promise<IdentityProviderRig> {
  const accounts = new Map<string, ProviderAccount>();
  const asked: string[] = [];
  const [clientId, clientSecret] = ['weft-spec', randomUUID()];
  let otherKeys: string | null = null;
  let answer: (incoming: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url?.split('?')[0]}`);
    void answer(incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configuration(options, accounts, { clientId, clientSecret }));
  const serve = provider.callback();
  answer = (incoming, response) => {
    if (incoming.url?.startsWith('/interaction/')) return interact(provider, incoming, response);
    if (incoming.url !== '/jwks' || otherKeys === null) return serve(incoming, response);
    return response.setHeader('content-type', 'application/json').end(otherKeys);
  };
  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    asked,
    publishOtherKeys: () => {
      otherKeys = JSON.stringify({ keys: [{ ...newKey(), d: undefined, use: 'sig', alg: 'RS256', kid: KEY_ID }] });
    },
    walk: (authorizeUrl, login) => walk(issuer, authorizeUrl, login),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function configuration(
  { redirectUris, accessTokenSeconds = 3_600 }: IdentityProviderOptions,
  accounts: ReadonlyMap<string, ProviderAccount>,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    scopes: ['openid', 'offline_access', 'email', 'profile'],
    findAccount: (_context, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...accounts.get(accountId) }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: accessTokenSeconds, Interaction: 600, Session: 600, Grant: 3_600, IdToken: 3_600 },
    cookies: { keys: [randomUUID()] },
    jwks: { keys: [{ ...newKey(), use: 'sig', alg: 'RS256', kid: KEY_ID }] },
  };
}

const KEY_ID = 'key-1';

function newKey(): JsonWebKey {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
}

/** The form, and what follows from it: signed in and consented, or refused. */
async function interact(provider: Provider, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  if (incoming.method === 'GET') {
    response.setHeader('content-type', 'text/html');
    response.end('<form method="post"><input name="login"><button name="go" value="yes">Sign in</button></form>');
    return;
  }
  const accountId = new URLSearchParams(await text(incoming)).get('login') ?? '';
  const { params } = await provider.interactionDetails(incoming, response);
  if (accountId === '') {
    await provider.interactionFinished(incoming, response, { error: 'access_denied' });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(incoming, response, { login: { accountId }, consent });
}

/** A minimal browser: follows redirects with its cookies until they leave the provider. */
async function walk(issuer: string, authorizeUrl: string, login: string | null): Promise<URL> {
  const cookies = new Map<string, string>();
  let [url, method] = [new URL(authorizeUrl), 'GET' as 'GET' | 'POST'];
  for (let step = 0; step < 10; step += 1) {
    const { statusCode, headers, body } = await request(url.href.replace('//localhost:', '//127.0.0.1:'), {
      method,
      headers: {
        host: url.host,
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: method === 'POST' ? new URLSearchParams({ login: login ?? '' }).toString() : null,
    });
    const page = await body.text();
    for (const cookie of [headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    if (headers.location !== undefined) {
      [url, method] = [new URL(String(headers.location), url), 'GET'];
      if (url.origin !== issuer) return url;
    } else if (page.includes('<form') && method === 'GET') method = 'POST';
    else throw new Error(`The provider answered ${statusCode}: ${page}`);
  }
  throw new Error('The provider sends the browser round and round');
}
