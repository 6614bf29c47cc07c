import type { Settings } from '@weft/config';
import { SystemScope, type Mongo } from '@weft/store';
import { OAUTH_PROVIDERS, OAuthProviderRepository, type OAuthProviderDocument } from '@weft/records';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.js';
import type { IdentityProvider } from './identity-provider.js';

/** The provider that the environment names (docs/http-api.md §2). */
export const MICROSOFT = 'microsoft';

const MICROSOFT_LOGIN = 'https://login.microsoftonline.com';
/** Tenants that are open to everybody: their addresses are not vouched for. */
const OPEN_TENANTS: ReadonlySet<string> = new Set(['common', 'organizations', 'consumers']);

const SIGN_IN = new SystemScope('identity providers belong to the installation');

type ProviderSettings = Pick<Settings, 'oauth2' | 'server'>;

/** The identity providers: those that operators stored, and Microsoft if the environment configures it. */
export class ProviderDirectory {
  private readonly stored: OAuthProviderRepository;
  /** Null unless the environment configures it. */
  readonly microsoft: IdentityProvider | null;
  /** Where authorization servers send the browser back to. */
  readonly callbackUrl: string;

  constructor(
    mongo: Mongo,
    private readonly secrets: SecretBox,
    settings: ProviderSettings,
  ) {
    this.stored = new OAuthProviderRepository(mongo);
    this.callbackUrl = `${settings.server.apiUrl}/auth/callback`;
    this.microsoft = microsoftOf(settings, this.callbackUrl);
  }

  /** @throws SecretUnreadable */
  async find(id: string): Promise<IdentityProvider | null> {
    if (id === MICROSOFT) return this.microsoft;
    const document = await this.stored.find(SIGN_IN, id);
    return document && this.open(document);
  }

  /** For the sign-in page, sorted by name. */
  async names(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    const stored = await this.stored.list(SIGN_IN);
    const all = [...stored.map(({ _id: id, name }) => ({ id, name })), ...(this.microsoft ? [this.microsoft] : [])];
    return all.map(({ id, name }) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
  }

  private open(document: OAuthProviderDocument): IdentityProvider {
    const { _id, client_secret } = document;
    return {
      id: _id,
      name: document.name,
      issuer: document.issuer,
      clientId: document.client_id,
      clientSecret: client_secret === null ? null : this.secrets.open(clientSecretPlace(_id), client_secret),
      redirectUri: document.redirect_uri ?? this.callbackUrl,
      scopes: document.scopes,
      autoCreateUsers: document.auto_create_users,
      autoAssignCompany: document.auto_assign_company,
      autoAssignRole: document.auto_assign_role,
      vouchesForEmails: false,
    };
  }
}

/** The place that the client secret of a stored provider is sealed for. */
export function clientSecretPlace(providerId: string): SecretPlace {
  return { companyId: null, collection: OAUTH_PROVIDERS, recordId: providerId, field: 'client_secret' };
}

function microsoftOf({ oauth2 }: ProviderSettings, callbackUrl: string): IdentityProvider | null {
  const { clientId, clientSecret, redirectUri, tenant, scopes } = oauth2;
  if (clientId === null) return null;
  return {
    id: MICROSOFT,
    name: 'Microsoft',
    issuer: `${MICROSOFT_LOGIN}/${tenant}/v2.0`,
    clientId,
    clientSecret,
    redirectUri: redirectUri ?? callbackUrl,
    scopes,
    autoCreateUsers: oauth2.autoCreateUsers,
    autoAssignCompany: oauth2.autoAssignCompany,
    autoAssignRole: oauth2.autoAssignRole,
    vouchesForEmails: !OPEN_TENANTS.has(tenant),
  };
}
