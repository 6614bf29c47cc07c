/** What a protected resource, such as an MCP server, says of the authorization server that gives tokens for it (RFC 9728, RFC 8414). */
import { EgressError, type EgressClient } from '@weft/egress';
import type { FetchLike } from '@modelcontextprotocol/client';
import { guardedFetch } from './guarded-fetch.js';
import { OidcFailure } from './identity-provider.js';

const MAX_SCOPES = 100;
const PKCE = 'S256';

/** How the client of Weft is known to authorization servers: a document, or what is registered. */
export interface ClientDocument {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_uri: string;
  readonly redirect_uris: string[];
  readonly grant_types: string[];
  readonly response_types: string[];
  readonly token_endpoint_auth_method: string;
}

export interface AuthorizationClient {
  readonly clientId: string;
  /** Null: a public client, protected by PKCE alone. */
  readonly secret: string | null;
  readonly auth: 'basic' | 'post';
}

export interface FoundAuthorization {
  readonly issuer: string;
  /** The server promises to name the issuer in each of its answers (RFC 9207). */
  readonly issuerPromised: boolean;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** What tokens are asked for. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly client: AuthorizationClient;
}

/** The client that is known at the server already; null: nobody has registered one, or it is `document`. */
export type KnownClient = (
  server: Pick<FoundAuthorization, 'issuer' | 'resource'>,
) => Promise<AuthorizationClient | null> | AuthorizationClient | null;

/**
 * @param url of the resource
 * @param document of the client of this installation
 * @param known where it knows none: the document, or where the server takes none, a registration
 * @throws OidcFailure `invalid_response`, `provider_unavailable`
 */
export async function discoverAuthorization(
  http: EgressClient,
  url: string,
  document: ClientDocument,
  known: KnownClient,
): Promise<FoundAuthorization> {
  const sdk = await import('@modelcontextprotocol/client');
  const fetchFn = fetchOver(http);
  try {
    const asked = await fetchFn(url, { method: 'POST', headers: PROBE_HEADERS, body: JSON.stringify(PROBE) });
    if (asked.status !== 401) throw unusable(`it answered ${asked.status}, not 401: it asks for no sign-in`);
    const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(asked);
    const found = await sdk.discoverOAuthServerInfo(url, {
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    });
    const { authorizationServerMetadata: metadata, resourceMetadata } = found;
    if (!metadata) throw unusable('no authorization server describes itself');
    if (metadata.code_challenge_methods_supported?.includes(PKCE) !== true) {
      throw unusable(`its authorization server does not say that it knows PKCE with ${PKCE}`);
    }
    const resource = resourceMetadata?.resource ?? url;
    if (!sdk.checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
      throw unusable('it says that it is another resource');
    }
    const takesDocument =
      (metadata as { readonly client_id_metadata_document_supported?: unknown })
        .client_id_metadata_document_supported === true;
    const ownDocument =
      takesDocument && document.client_id.startsWith('https:')
        ? ({ clientId: document.client_id, secret: null, auth: 'basic' } as const)
        : null;
    const { issuer } = metadata;
    const client = (await known({ issuer, resource })) ?? ownDocument;
    if (!client && metadata.registration_endpoint === undefined) {
      throw unusable('its authorization server registers no clients: register one there, and give its client_id');
    }
    return {
      issuer,
      issuerPromised: promisesIssuer(metadata),
      authorizeUrl: metadata.authorization_endpoint,
      tokenUrl: metadata.token_endpoint,
      resource,
      scopes: (scope?.split(' ').filter(Boolean) ?? resourceMetadata?.scopes_supported ?? []).slice(0, MAX_SCOPES),
      client: client ?? (await registered(fetchFn, metadata.registration_endpoint ?? '', document)),
    };
  } catch (error) {
    if (error instanceof OidcFailure) throw error;
    if (error instanceof EgressError) throw new OidcFailure('provider_unavailable', error.message, { cause: error });
    // what is not as the standards say: the library's words may have what the server wrote
    throw new OidcFailure('invalid_response', 'its metadata are not as they should be', { cause: error });
  }
}

function promisesIssuer(metadata: object): boolean {
  const { authorization_response_iss_parameter_supported: promised } = metadata as Readonly<Record<string, unknown>>;
  return promised === true;
}

/** Dynamic registration (RFC 7591): the fall-back for servers that take no document. */
async function registered(fetchFn: FetchLike, url: string, document: ClientDocument): Promise<AuthorizationClient> {
  const { client_id: _id, ...fields } = document;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const answer = await fetchFn(url, { method: 'POST', headers, body: JSON.stringify(fields) });
  if (!answer.ok) throw unusable(`its authorization server answered ${answer.status} to the registration of a client`);
  const made = (await answer.json()) as Readonly<Record<string, unknown>>;
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method } = made;
  if (typeof clientId !== 'string') throw unusable('its authorization server registered no client');
  return {
    clientId,
    secret: typeof secret === 'string' && secret !== '' ? secret : null,
    auth: method === 'client_secret_post' ? 'post' : 'basic',
  };
}

/** What it answers to nobody in particular. */
const PROBE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'weft', version: '1' } },
} as const;
const PROBE_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;

function fetchOver(http: EgressClient): FetchLike {
  const fetch = guardedFetch(http);
  return (url, { method = 'GET', headers, body, signal } = {}) =>
    fetch(String(url), {
      ...{ method, headers: Object.fromEntries(new Headers(headers)), redirect: 'manual' },
      body: typeof body === 'string' ? body : body instanceof URLSearchParams ? body : null,
      ...(signal && { signal }),
    });
}

function unusable(why: string): OidcFailure {
  return new OidcFailure('invalid_response', why);
}
