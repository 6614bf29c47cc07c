import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { OidcFailure, type FoundAuthorization, type OAuth } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import type { ApiFound, IntegrationDocument } from '@weft/records';
import { linkSettingsShape } from '@weft/shapes';
import type { Actor } from '../audit/actor-entry.js';
import type { CreateIntegrationBody } from '../integrations/integration.requests.js';
import { IntegrationsService } from '../integrations/integrations.service.js';
import { OAUTH } from '../oauth/oauth.token.js';
import { ApisService } from './apis.service.js';
import type { AuthorizeMcpServerBody } from './mcp-server.requests.js';

const RETRY_SECONDS = 5;
/** The path of the document that says who Weft is: nothing is registered with it, and its address changes with that of Weft. */
const CLIENT_DOCUMENT = '/oauth/client.json';

interface Discovered {
  readonly found: FoundAuthorization;
  /** The link of the server, if it is for this authorization server and resource, and the caller may change it. */
  readonly own: IntegrationDocument | undefined;
}

/** Finds the authorization server of an MCP server that answers 401, and makes a link of it, or renews the one that is there. */
@Injectable()
export class McpAuthorizationService {
  constructor(
    private readonly apis: ApisService,
    private readonly integrations: IntegrationsService,
    @Inject(OAUTH) private readonly oauth: Pick<OAuth, 'discover'>,
  ) {}

  /**
   * The server uses the link from now on; somebody has to consent first: `POST /integrations/connect`. A link of the server that is for the
   * same resource stays, and has what its servers say now; and a client that is registered there already is used again.
   *
   * @returns id of the link
   * @throws WeftError `not_found`, `not_authorizable`, `provider_unavailable`
   */
  async authorize(actor: Actor, name: string, body: AuthorizeMcpServerBody): Promise<string> {
    const server = await this.apis.read(actor.caller, 'mcp', name);
    const url = 'url' in server.source ? server.source.url : '';
    const { found, own } = await this.discover(actor.caller, server, url, body);
    const { origin, pathname } = new URL(url);
    const settings = linkSettingsShape.safeParse({
      ...{ authorize_url: found.authorizeUrl, token_url: found.tokenUrl, client_id: found.client.clientId },
      ...{ client_auth: found.client.auth, resource: found.resource, issuer: found.issuer },
      ...(found.issuerPromised && { issuer_promised: true }),
      // what nobody but the person can know
      ...(own?.Settings?.audience !== undefined && { audience: own.Settings.audience }),
    });
    if (!settings.success) throw notAuthorizable('the addresses that its authorization server names cannot be used');
    const asked = {
      ...{ kind: 'oauth2' as const, endpoint: `${origin}${pathname}`, settings: settings.data },
      scopes: [...found.scopes],
      ...(found.client.secret !== null && { client_secret: found.client.secret }),
    };
    if (own) {
      // the tokens of a link that is asked for otherwise are gone
      const isSame = isAskedAs(own, asked) && body.client_id === undefined;
      if (!isSame) await this.integrations.update(actor, own._id, asked);
      return own._id;
    }
    const link = await this.integrations.create(actor, { name: server.name, type: 'mcp', ...asked });
    await this.apis.update(actor, 'mcp', server._id, { integrationId: link._id });
    return link._id;
  }

  private async discover(
    caller: Principal,
    { integrationId }: ApiFound,
    url: string,
    { client_id: clientId, client_secret: secret }: AuthorizeMcpServerBody,
  ): Promise<Discovered> {
    let own: IntegrationDocument | undefined;
    try {
      const found = await this.oauth.discover(url, async (server) => {
        const links = await this.integrations.changeableAt(caller, server);
        own = links.find(({ _id }) => _id === integrationId);
        if (clientId !== undefined) return { clientId, secret: secret ?? null, auth: 'basic' };
        const registered = [own, ...links].find((link) => link && isRegistered(link));
        return registered ? this.integrations.clientOf(registered) : null;
      });
      return { found, own };
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      if (error.code !== 'provider_unavailable') throw notAuthorizable(error.message);
      const detail = `The server, or its authorization server, cannot be reached: ${error.message}.`;
      throw new WeftError('provider_unavailable', detail, { cause: error, retryAfterSeconds: RETRY_SECONDS });
    }
  }
}

function isRegistered({ Settings: { client_id: clientId = '' } = {} }: IntegrationDocument): boolean {
  return !clientId.endsWith(CLIENT_DOCUMENT);
}

function isAskedAs(
  { Endpoint, Settings, Scopes }: IntegrationDocument,
  asked: Required<Pick<CreateIntegrationBody, 'endpoint' | 'settings' | 'scopes'>>,
): boolean {
  const [is, becomes] = [
    [Endpoint, Settings, Scopes],
    [asked.endpoint, asked.settings, asked.scopes],
  ];
  return isDeepStrictEqual(is, becomes);
}

function notAuthorizable(why: string): WeftError {
  return new WeftError(
    'not_authorizable',
    `Weft cannot sign in at this server by itself: ${why}. Make a link by hand.`,
  );
}
