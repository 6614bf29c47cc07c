import type { Settings } from '@weft/config';
import type { EgressClient } from '@weft/egress';
import { type Mongo } from '@weft/store';
import { EXTERNAL_IDENTITIES, INTEGRATIONS, TokenRecords } from '@weft/records';
import { SecretBox } from '../secrets/secret-box.js';
import {
  discoverAuthorization,
  type ClientDocument,
  type FoundAuthorization,
  type KnownClient,
} from './discover-authorization.js';
import { FreshTokens } from './fresh-tokens.js';
import { IntegrationTokens } from './integration-tokens.js';
import { OidcClient } from './oidc-client.js';
import { ProviderDirectory } from './provider-directory.js';
import { TokenEndpoint } from './token-endpoint.js';

export interface OAuthDeps {
  readonly mongo: Mongo;
  readonly settings: Pick<Settings, 'secrets' | 'oauth2' | 'server'>;
  readonly http: EgressClient;
  /** Identifies this process. */
  readonly processTag: string;
}

/** Everything that a process needs to work with identity providers and their tokens. */
export interface OAuth {
  readonly secrets: SecretBox;
  readonly providers: ProviderDirectory;
  readonly oidc: OidcClient;
  /** For links with a client of their own. */
  readonly endpoint: TokenEndpoint;
  /** One for each collection with tokens. */
  readonly freshTokens: { readonly integrations: FreshTokens; readonly identities: FreshTokens };
  readonly integrationTokens: IntegrationTokens;
  /** Of this installation, at `/oauth/client.json`. */
  readonly client: ClientDocument;
  /** See `discoverAuthorization`. */
  discover(url: string, known: KnownClient): Promise<FoundAuthorization>;
}

export function openOAuth({ mongo, settings, http, processTag }: OAuthDeps): OAuth {
  const serverNow = () => mongo.serverNow();
  const secrets = new SecretBox(settings.secrets);
  const providers = new ProviderDirectory(mongo, secrets, settings);
  const oidc = new OidcClient(http, serverNow);
  const endpoint = new TokenEndpoint(http, serverNow);
  const fresh = (collection: string) =>
    new FreshTokens({
      records: new TokenRecords(mongo, collection),
      secrets,
      providers,
      oidc,
      endpoint,
      serverNow,
      processTag,
    });
  const freshTokens = { integrations: fresh(INTEGRATIONS), identities: fresh(EXTERNAL_IDENTITIES) };
  const { apiUrl } = settings.server;
  const client: ClientDocument = {
    ...{ client_id: `${apiUrl}/oauth/client.json`, client_name: 'Weft', client_uri: apiUrl },
    ...{ redirect_uris: [providers.callbackUrl], grant_types: ['authorization_code', 'refresh_token'] },
    ...{ response_types: ['code'], token_endpoint_auth_method: 'none' },
  };
  return {
    client,
    discover: (url, known) => discoverAuthorization(http, url, client, known),
    secrets,
    providers,
    oidc,
    endpoint,
    freshTokens,
    integrationTokens: new IntegrationTokens(mongo, freshTokens.integrations),
  };
}
