import { Inject, Injectable } from '@nestjs/common';
import { grantedIds, type Principal } from '@weft/access';
import type { LinkKind, LinkSettings, LinkTest } from '@weft/shapes';
import {
  GrantCache,
  OidcFailure,
  openClient,
  ProviderDirectory,
  SecretBox,
  SecretUnreadable,
  type AuthorizationClient,
} from '@weft/identity';
import { WeftError, type NewId, NEW_ID } from '@weft/kernel';
import { Mongo, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import {
  IntegrationRepository,
  INTEGRATIONS,
  type AuthorizedResource,
  type IntegrationDocument,
  type IntegrationVisibility,
} from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Actor } from '../audit/actor-entry.js';
import { rateLimitOf } from '../destinations/rate-limit.request.js';
import { AuthorizationFlow } from '../oauth/authorization-flow.js';
import { LinkAuthorization } from '../oauth/link-authorization.js';
import { returnPath } from '../oauth/return-path.js';
import { integrationEntry, type IntegrationActor } from './integration-audit.js';
import { mayEditLink, maySeeLink, mayUseLink } from './integration-rights.js';
import type { ConnectBody, CreateIntegrationBody, UpdateIntegrationBody } from './integration.requests.js';
import { assertTestable, hasSecret, readSettings } from './link-kinds.js';
import { sealLink } from './seal-link.js';

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
    private readonly linkAuthorizations: LinkAuthorization,
    private readonly grants: GrantCache,
    private readonly bus: InvalidationBus,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async list(
    caller: Principal,
    filter: { readonly key?: string },
    page: PageRequest,
  ): Promise<PageOf<IntegrationDocument>> {
    return this.integrations.list(scopeOf(caller), await this.visibleTo(caller), filter, page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<IntegrationDocument> {
    const found = await this.integrations.find(scopeOf(caller), id);
    if (!found || !maySeeLink(caller, found, await this.grantsOn(caller, found))) throw notFound();
    return found;
  }

  /** @throws WeftError `invalid_body`, `key_taken` */
  async create(actor: Actor, body: CreateIntegrationBody): Promise<IntegrationDocument> {
    const { caller } = actor;
    const id = this.newId();
    const now = new Date(this.mongo.serverNow());
    const { kind = 'bearer' } = body;
    const how = this.howToUse(kind, body);
    assertTestable(body.test, body.endpoint);
    // a provider renews its own tokens
    const provider = kind === 'bearer' ? await this.providers.find(body.type) : null;
    const integration: IntegrationDocument = {
      _id: id,
      CompanyID: caller.companyId,
      UserID: caller.userId,
      IntegrationType: body.type,
      Name: body.name,
      Key: body.key ?? null,
      Endpoint: body.endpoint ?? null,
      ...how,
      Test: plain<LinkTest>(body.test),
      RateLimit: rateLimitOf(body.rate_limit) ?? null,
      ...sealLink(this.secrets, { companyId: caller.companyId, id }, kind, how.Settings, body, now.getTime()),
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

  /** @throws WeftError `not_found`, `denied`, `invalid_body`, `key_taken` */
  async update(actor: Actor, id: string, body: UpdateIntegrationBody): Promise<IntegrationDocument> {
    const { caller } = actor;
    const before = await this.read(caller, id);
    const granted = await this.grantsOn(caller, before);
    if (!mayEditLink(caller, before, granted)) {
      throw new WeftError('denied', 'You may see this integration, not change it.');
    }
    const { name, key, test, rate_limit, ...aboutSecrets } = body;
    const isRenewed = hasSecret(body);
    if (!isRenewed && Object.values(aboutSecrets).some((value) => value !== undefined)) {
      const message =
        'kind, settings, endpoint, refresh_token, token_expiry and scopes come with access_token or the other secrets of the kind';
      throw new WeftError('invalid_body', `${message}.`, {
        errors: [{ path: 'access_token', code: 'required', message }],
      });
    }
    if (test && !isRenewed && !mayUseLink(caller, before, granted)) {
      throw new WeftError('denied', 'A test calls with this integration: "execute" on it must be granted to you.');
    }
    const now = this.mongo.serverNow();
    const { Kind: kindBefore = 'bearer', Settings: settingsBefore } = before;
    const { kind = kindBefore } = body;
    const endpoint = body.endpoint === undefined ? before.Endpoint : body.endpoint;
    assertTestable(test === undefined ? before.Test : test, endpoint);
    const how = isRenewed ? this.howToUse(kind, body, kind === kindBefore ? settingsBefore : undefined) : null;
    const fields = {
      ...(name !== undefined && { Name: name }),
      ...(key !== undefined && { Key: key }),
      ...(test !== undefined && { Test: plain<LinkTest>(test) }),
      ...(rate_limit !== undefined && { RateLimit: rateLimitOf(rate_limit) }),
      ...(body.endpoint !== undefined && { Endpoint: body.endpoint }),
      // A refresh that is under way loses its lease: it is for the old tokens.
      ...(how && {
        ...how,
        ...sealLink(
          this.secrets,
          { companyId: caller.companyId, id },
          kind,
          how.Settings,
          withScopes(body, before),
          now,
        ),
        ...(kind !== 'bearer' && { ProviderID: null, Issuer: null }),
        RefreshBy: null,
        RefreshLease: null,
        // The account of the new token is unknown, so the previous account is not shown with it.
        ProviderUserID: null,
        ProviderUserEmail: null,
      }),
      UpdatedAt: new Date(now),
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
   * @param page origin of the page that asks; undefined: the browser does not say
   * @returns where to redirect the browser, and the `Set-Cookie` value to send with the redirect
   * @throws WeftError `invalid_body`, `session_required`, `unknown_id`, `denied`, `provider_unavailable`, `other_address`
   */
  async connect(
    caller: Principal,
    body: ConnectBody,
    page: string | undefined,
  ): Promise<{ readonly url: string; readonly cookie: string }> {
    const returnTo = returnPath(body.returnTo, 'invalid_body');
    // The flow must end in the browser in which it began: otherwise somebody else's account could be connected.
    if (caller.auth !== 'session') {
      throw new WeftError('session_required', 'An account is connected in the browser that asks for it.');
    }
    const { provider: providerId, integration_id: linkId } = body;
    if ((providerId === undefined) === (linkId === undefined)) throw eitherProviderOrLink();
    if (linkId !== undefined) {
      const link = await this.connectable(caller, linkId);
      assertReturnsTo(page, this.providers.callbackUrl);
      return this.linkAuthorizations.begin(link, returnTo, caller);
    }
    const provider = await this.providers.find(providerId ?? '');
    if (!provider) throw unknownProvider();
    assertReturnsTo(page, provider.redirectUri);
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

  /**
   * For something else that calls with the link.
   *
   * @param path where the body names it
   * @throws WeftError `unknown_id`, `denied`
   */
  async assertMayUse(caller: Principal, id: string, path: string): Promise<IntegrationDocument> {
    const link = await this.integrations.find(scopeOf(caller), id);
    const granted = link ? await this.grantsOn(caller, link) : [];
    if (!link || !maySeeLink(caller, link, granted)) {
      throw refusal('unknown_id', path, 'your company has no such integration');
    }
    if (mayUseLink(caller, link, granted)) return link;
    throw refusal('denied', path, 'you may not use this integration: "execute" on it must be granted to you');
  }

  /** The links that ask this authorization server for tokens for this resource, and that the caller may change, newest first. */
  async changeableAt(caller: Principal, server: AuthorizedResource): Promise<readonly IntegrationDocument[]> {
    const changeable: IntegrationDocument[] = [];
    for (const link of await this.integrations.ofResource(scopeOf(caller), server)) {
      if (mayEditLink(caller, link, await this.grantsOn(caller, link))) changeable.push(link);
    }
    return changeable;
  }

  /** The client of a link at its authorization server; null: its secret cannot be read. */
  clientOf(link: IntegrationDocument): AuthorizationClient | null {
    try {
      const { settings, secret } = openClient(this.secrets, INTEGRATIONS, link);
      return { clientId: settings.client_id ?? '', secret, auth: settings.client_auth ?? 'basic' };
    } catch (error) {
      if (error instanceof SecretUnreadable) return null;
      throw error;
    }
  }

  /** Whether layers that the caller writes may call with the link; false also where it is not there. */
  async mayUse(caller: Principal, id: string): Promise<boolean> {
    const link = await this.integrations.find(scopeOf(caller), id);
    return link !== null && mayUseLink(caller, link, await this.grantsOn(caller, link));
  }

  /** @throws WeftError `unknown_id`, `denied`, `invalid_body` */
  private async connectable(caller: Principal, id: string): Promise<IntegrationDocument> {
    const link = await this.integrations.find(scopeOf(caller), id);
    const granted = link ? await this.grantsOn(caller, link) : [];
    if (!link || !maySeeLink(caller, link, granted)) {
      throw refusal('unknown_id', 'integration_id', 'your company has no such integration');
    }
    if (!mayEditLink(caller, link, granted)) {
      throw new WeftError('denied', 'You may see this integration, not connect it.');
    }
    if (link.Kind === 'oauth2') return link;
    throw refusal('invalid_body', 'integration_id', 'only an integration of the kind oauth2 is connected');
  }

  private howToUse(kind: LinkKind, body: UpdateIntegrationBody, before?: LinkSettings) {
    return { Kind: kind, Settings: plain<LinkSettings>(readSettings(kind, body, before)) ?? {} };
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

/** With a client, scopes are what is asked for: they do not belong to one secret. */
function withScopes(body: UpdateIntegrationBody, { Kind: kind, Scopes }: IntegrationDocument): UpdateIntegrationBody {
  const isKept = kind?.startsWith('oauth2') === true && (body.kind ?? kind) === kind;
  return { ...body, scopes: body.scopes ?? (isKept ? [...Scopes] : []) };
}

/** What is stored of a part of a body. */
function plain<T extends object>(part: T | null | undefined): T | null {
  if (!part) return null;
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as T;
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
  return refusal('unknown_id', 'provider', 'there is no such identity provider');
}

function eitherProviderOrLink(): WeftError {
  return refusal('invalid_body', 'provider', 'one of provider and integration_id must be given');
}

function refusal(code: 'unknown_id' | 'invalid_body' | 'denied', path: string, message: string): WeftError {
  return new WeftError(code, `${message}.`, { errors: [{ path, code, message }] });
}

/**
 * The cookie that binds the flow to its browser is of the host of the page: at another host, the browser does not show it on the way back.
 *
 * @throws WeftError `other_address`
 */
function assertReturnsTo(page: string | undefined, callback: string): void {
  const [opened, comesBackTo] = [URL.parse(page ?? ''), new URL(callback)];
  if (!opened || opened.hostname === comesBackTo.hostname) return;
  const { origin } = comesBackTo;
  throw new WeftError(
    'other_address',
    `The sign-in ends at ${origin}, and this page was opened at ${opened.origin}: open Weft at ${origin}, and begin there. (That address is API_URL of this Weft.)`,
  );
}
