import { Inject, Injectable } from '@nestjs/common';
import { grantedIds, type Principal } from '@weft/access';
import { GrantCache, OidcFailure, ProviderDirectory, SecretBox, sealTokens, type IssuedTokens } from '@weft/identity';
import { WeftError, type NewId, NEW_ID } from '@weft/kernel';
import {
  INTEGRATIONS,
  IntegrationRepository,
  Mongo,
  TenantScope,
  type IntegrationDocument,
  type IntegrationVisibility,
  type PageOf,
  type PageRequest,
} from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Actor } from '../audit/actor-entry.js';
import { readTime } from '../http/iso-time.js';
import { AuthorizationFlow } from '../oauth/authorization-flow.js';
import { returnPath } from '../oauth/return-path.js';
import { integrationEntry, type IntegrationActor } from './integration-audit.js';
import { mayEditLink, maySeeLink } from './integration-rights.js';
import type { ConnectBody, CreateIntegrationBody, UpdateIntegrationBody } from './integration.requests.js';

const PROVIDER_RETRY_SECONDS = 5;

/** The integration links of the caller's company. Admins see all; integration managers see their own and granted ones. */
@Injectable()
export class IntegrationsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly integrations: IntegrationRepository,
    private readonly secrets: SecretBox,
    private readonly providers: ProviderDirectory,
    private readonly authorizations: AuthorizationFlow,
    private readonly grants: GrantCache,
    private readonly bus: InvalidationBus,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async list(caller: Principal, page: PageRequest): Promise<PageOf<IntegrationDocument>> {
    return this.integrations.list(scopeOf(caller), await this.visibleTo(caller), page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<IntegrationDocument> {
    const found = await this.integrations.find(scopeOf(caller), id);
    if (!found || !maySeeLink(caller, found, await this.grantsOn(caller, found))) throw notFound();
    return found;
  }

  /** @throws WeftError `invalid_body` */
  async create(actor: Actor, body: CreateIntegrationBody): Promise<IntegrationDocument> {
    const { caller } = actor;
    const id = this.newId();
    const now = new Date(this.mongo.serverNow());
    const provider = await this.providers.find(body.type);
    const integration: IntegrationDocument = {
      _id: id,
      CompanyID: caller.companyId,
      UserID: caller.userId,
      IntegrationType: body.type,
      Name: body.name,
      Endpoint: body.endpoint ?? null,
      ...this.tokens(caller.companyId, id, givenTokens(body, body.access_token)),
      ProviderID: provider?.id ?? null,
      Issuer: provider?.issuer ?? null,
      RefreshBy: null,
      RefreshLease: null,
      ProviderUserID: null,
      ProviderUserEmail: null,
      CreatedAt: now,
      UpdatedAt: now,
    };
    const entry = integrationEntry(actorOf(actor), 'integration_created', null, integration);
    await this.integrations.insert(scopeOf(caller), integration, entry);
    return integration;
  }

  /** @throws WeftError `not_found`, `denied`, `invalid_body` */
  async update(actor: Actor, id: string, body: UpdateIntegrationBody): Promise<IntegrationDocument> {
    const { caller } = actor;
    const before = await this.read(caller, id);
    if (!mayEditLink(caller, before, await this.grantsOn(caller, before))) {
      throw new WeftError('denied', 'You may see this integration, not change it.');
    }
    const { name, access_token, ...aboutToken } = body;
    if (access_token === undefined && Object.values(aboutToken).some((value) => value !== undefined)) {
      const message = 'endpoint, refresh_token, token_expiry and scopes come with their access_token';
      throw new WeftError('invalid_body', `${message}.`, {
        errors: [{ path: 'access_token', code: 'required', message }],
      });
    }
    const fields = {
      ...(name !== undefined && { Name: name }),
      ...(body.endpoint !== undefined && { Endpoint: body.endpoint }),
      // A refresh that is under way loses its lease: it is for the old tokens.
      ...(access_token !== undefined && {
        ...this.tokens(caller.companyId, id, givenTokens(body, access_token)),
        RefreshBy: null,
        RefreshLease: null,
        // The account of the new token is unknown, so the previous account is not shown with it.
        ProviderUserID: null,
        ProviderUserEmail: null,
      }),
      UpdatedAt: new Date(this.mongo.serverNow()),
    };
    const after = { ...before, ...fields };
    const entry = integrationEntry(actorOf(actor), 'integration_updated', before, after);
    if (!(await this.integrations.update(scopeOf(caller), id, fields, entry))) throw notFound();
    return after;
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, id: string): Promise<void> {
    const before = await this.read(actor.caller, id);
    const entry = integrationEntry(actorOf(actor), 'integration_deleted', before, null);
    const grantees = await this.integrations.remove(scopeOf(actor.caller), id, entry);
    if (!grantees) throw notFound();
    for (const grantee of grantees) this.bus.publish({ kind: 'grants', id: grantee });
  }

  /**
   * Begins to connect an account at a provider; the callback stores it.
   *
   * @returns where to redirect the browser, and the `Set-Cookie` value to send with the redirect
   * @throws WeftError `invalid_body`, `session_required`, `unknown_id`, `provider_unavailable`
   */
  async connect(caller: Principal, body: ConnectBody): Promise<{ readonly url: string; readonly cookie: string }> {
    const returnTo = returnPath(body.returnTo, 'invalid_body');
    // The flow must end in the browser in which it began: otherwise somebody else's account could be connected.
    if (caller.auth !== 'session') {
      throw new WeftError('session_required', 'An account is connected in the browser that asks for it.');
    }
    const provider = await this.providers.find(body.provider);
    if (!provider) throw unknownProvider();
    try {
      return await this.authorizations.begin({ provider, purpose: 'connect', returnTo, initiator: caller });
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      throw new WeftError('provider_unavailable', `${provider.name} cannot be reached just now.`, {
        cause: error,
        retryAfterSeconds: PROVIDER_RETRY_SECONDS,
      });
    }
  }

  private tokens(companyId: string, recordId: string, given: IssuedTokens) {
    const place = { companyId, collection: INTEGRATIONS, recordId };
    return sealTokens(this.secrets, place, given, this.mongo.serverNow());
  }

  private async visibleTo(caller: Principal): Promise<IntegrationVisibility> {
    if (caller.role === 'admin') return { all: true };
    const held = await this.grants.of(caller);
    const ids = (['read', 'edit'] as const).flatMap((permission) => grantedIds(held, 'integration', permission));
    return { all: false, userId: caller.userId, grantedIds: [...new Set(ids)] };
  }

  private async grantsOn(caller: Principal, { _id }: IntegrationDocument): Promise<readonly string[]> {
    const held = await this.grants.of(caller);
    return held.flatMap((grants) => grants.on('integration', _id));
  }
}

function givenTokens(
  { refresh_token, token_expiry, scopes }: UpdateIntegrationBody,
  accessToken: string,
): IssuedTokens {
  return {
    accessToken,
    refreshToken: refresh_token ?? null,
    expiresAt: token_expiry === undefined || token_expiry === null ? null : expiryOf(token_expiry),
    scopes: scopes ?? [],
  };
}

function expiryOf(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  const message = 'token_expiry is no time that exists';
  throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'token_expiry', code: 'invalid', message }] });
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function actorOf({ caller, origin }: Actor): IntegrationActor {
  return { userId: caller.userId, email: caller.email, companyId: caller.companyId, origin };
}

function notFound(): WeftError {
  return new WeftError('not_found', 'Your company has no such integration.');
}

function unknownProvider(): WeftError {
  const message = 'there is no such identity provider';
  return new WeftError('unknown_id', `${message}.`, { errors: [{ path: 'provider', code: 'unknown_id', message }] });
}
