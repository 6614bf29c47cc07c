import { Inject, Injectable } from '@nestjs/common';
import { OidcFailure, type FoundAuthorization, type OAuth } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import type { ApiFound } from '@weft/records';
import { linkSettingsShape } from '@weft/shapes';
import type { Actor } from '../audit/actor-entry.js';
import { IntegrationsService } from '../integrations/integrations.service.js';
import { OAUTH } from '../oauth/oauth.token.js';
import { ApisService } from './apis.service.js';
import type { AuthorizeMcpServerBody } from './mcp-server.requests.js';

const RETRY_SECONDS = 5;

/** Finds the authorization server of an MCP server that answers 401, and makes a link of it. */
@Injectable()
export class McpAuthorizationService {
  constructor(
    private readonly apis: ApisService,
    private readonly integrations: IntegrationsService,
    @Inject(OAUTH) private readonly oauth: Pick<OAuth, 'discover'>,
  ) {}

  /**
   * The server uses the link from now on; somebody has to consent first: `POST /integrations/connect`.
   *
   * @returns id of the link, of which there is one for each authorization server and client
   * @throws WeftError `not_found`, `not_authorizable`, `provider_unavailable`
   */
  async authorize(actor: Actor, name: string, body: AuthorizeMcpServerBody): Promise<string> {
    const server = await this.apis.read(actor.caller, 'mcp', name);
    const found = await this.discover(server, body);
    const { origin, pathname } = new URL(found.url);
    const settings = linkSettingsShape.safeParse({
      ...{ authorize_url: found.authorizeUrl, token_url: found.tokenUrl, client_id: found.client.clientId },
      ...{ client_auth: found.client.auth, resource: found.resource, issuer: found.issuer },
    });
    if (!settings.success) throw notAuthorizable('the addresses that its authorization server names cannot be used');
    const link = await this.integrations.create(actor, {
      ...{ name: server.name, type: 'mcp', kind: 'oauth2', endpoint: `${origin}${pathname}`, settings: settings.data },
      scopes: [...found.scopes],
      ...(found.client.secret !== null && { client_secret: found.client.secret }),
    });
    await this.apis.update(actor, 'mcp', server._id, { integrationId: link._id });
    return link._id;
  }

  private async discover(
    { source }: ApiFound,
    { client_id: clientId, client_secret: secret }: AuthorizeMcpServerBody,
  ): Promise<FoundAuthorization & { readonly url: string }> {
    const url = 'url' in source ? source.url : '';
    const given = clientId === undefined ? null : ({ clientId, secret: secret ?? null, auth: 'basic' } as const);
    try {
      return { ...(await this.oauth.discover(url, given)), url };
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      if (error.code !== 'provider_unavailable') throw notAuthorizable(error.message);
      const detail = `The server, or its authorization server, cannot be reached: ${error.message}.`;
      throw new WeftError('provider_unavailable', detail, { cause: error, retryAfterSeconds: RETRY_SECONDS });
    }
  }
}

function notAuthorizable(why: string): WeftError {
  return new WeftError(
    'not_authorizable',
    `Weft cannot sign in at this server by itself: ${why}. Make a link by hand.`,
  );
}
