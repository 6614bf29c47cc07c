import { Inject, Injectable } from '@nestjs/common';
import { clientSecretPlace, MICROSOFT, ProviderDirectory, SecretBox } from '@weft/identity';
import { WeftError, type ErrorCode, type NewId, NEW_ID } from '@weft/kernel';
import {
  Mongo,
  SystemScope,
  TenantScope,
  type AuditAction,
  type AuditChange,
  type AuditEntryInput,
  type PageOf,
  type PageRequest,
} from '@weft/store';
import { CompanyRepository, OAUTH_PROVIDERS, OAuthProviderRepository, type OAuthProviderDocument } from '@weft/records';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import type { CreateProviderBody, UpdateProviderBody } from './oauth-provider.requests.js';
import { toBuiltInView, toProviderView, type ProviderView } from './oauth-provider.view.js';

const OPERATORS = new SystemScope('operators manage the identity providers of the installation');
const DEFAULT_SCOPES = ['openid', 'profile', 'email'];
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The identity providers of the installation, for operators. */
@Injectable()
export class OAuthProvidersService {
  constructor(
    private readonly mongo: Mongo,
    private readonly providers: OAuthProviderRepository,
    private readonly companies: CompanyRepository,
    private readonly secrets: SecretBox,
    private readonly directory: ProviderDirectory,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** Pages are cut in memory, because there are few providers. The one of the environment is last. */
  async list({ page, size, after }: PageRequest): Promise<PageOf<ProviderView>> {
    const { microsoft } = this.directory;
    const stored = (await this.providers.list(OPERATORS)).map(toProviderView);
    const all = [...stored, ...(microsoft ? [toBuiltInView(microsoft)] : [])];
    const start = after === null ? page * size : all.findIndex(({ id }) => id === MICROSOFT || id < after);
    const items = start < 0 ? [] : all.slice(start, start + size);
    const hasMore = start >= 0 && start + size < all.length;
    return { items, total: all.length, totalCapped: false, nextAfter: hasMore ? (items.at(-1)?.id ?? null) : null };
  }

  /** @throws WeftError `not_found` */
  async read(id: string): Promise<ProviderView> {
    const { microsoft } = this.directory;
    return id === MICROSOFT && microsoft ? toBuiltInView(microsoft) : toProviderView(await this.stored(id));
  }

  /** @throws WeftError `invalid_body`, `unknown_id` */
  async create(actor: Actor, body: CreateProviderBody): Promise<ProviderView> {
    const id = this.newId();
    const now = new Date(this.mongo.serverNow());
    const provider: OAuthProviderDocument = {
      _id: id,
      name: body.name,
      issuer: body.issuer,
      client_id: body.client_id,
      client_secret: this.sealed(id, body.client_secret ?? null),
      redirect_uri: body.redirect_uri ?? null,
      scopes: body.scopes ?? DEFAULT_SCOPES,
      auto_create_users: body.auto_create_users ?? false,
      auto_assign_company: body.auto_assign_company ?? null,
      auto_assign_role: body.auto_assign_role ?? 'none',
      created_by: actor.caller.userId,
      created_at: now,
      updated_at: now,
    };
    await this.check(provider);
    const entry = entryOf(actor, id, 'oauth_provider_created', changes(null, provider));
    await this.providers.insert(OPERATORS, provider, entry);
    return toProviderView(provider);
  }

  /** @throws WeftError `not_found`, `denied` for the environment's own, `invalid_body`, `unknown_id`, `version_conflict` */
  async update(actor: Actor, id: string, body: UpdateProviderBody): Promise<ProviderView> {
    const before = await this.changeable(id);
    const { client_secret, ...fields } = body;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const after: OAuthProviderDocument = {
      ...before,
      ...given,
      ...(client_secret !== undefined && { client_secret: this.sealed(id, client_secret) }),
      updated_at: new Date(this.mongo.serverNow()),
    };
    if (after.issuer !== before.issuer && before.client_secret !== null && client_secret === undefined) {
      throw refusal(
        'invalid_body',
        'client_secret',
        'client_secret must be given anew: another issuer would receive it',
      );
    }
    await this.check(after);
    const entry = entryOf(actor, id, 'oauth_provider_updated', changes(before, after));
    if (!(await this.providers.replace(OPERATORS, before, after, entry))) {
      throw new WeftError('version_conflict', 'Somebody else changed the provider in between. Read it again.');
    }
    return toProviderView(after);
  }

  /** @throws WeftError `not_found`, `denied` for the environment's own */
  async remove(actor: Actor, id: string): Promise<void> {
    const before = await this.changeable(id);
    const entry = entryOf(actor, id, 'oauth_provider_deleted', changes(before, null));
    if (!(await this.providers.remove(OPERATORS, id, entry))) throw notFound();
  }

  private async changeable(id: string): Promise<OAuthProviderDocument> {
    if (id === MICROSOFT && this.directory.microsoft) {
      throw new WeftError(
        'denied',
        'This provider is set by MICROSOFT_CLIENT_ID and its neighbours in the environment.',
      );
    }
    return this.stored(id);
  }

  private async stored(id: string): Promise<OAuthProviderDocument> {
    const provider = await this.providers.find(OPERATORS, id);
    if (!provider) throw notFound();
    return provider;
  }

  private async check({ issuer, redirect_uri, scopes, auto_assign_company }: OAuthProviderDocument): Promise<void> {
    if (!isAddress(issuer) || /[?#]/.test(issuer)) {
      throw refusal(
        'invalid_body',
        'issuer',
        'issuer must be an https address without query; http on this machine alone',
      );
    }
    if (redirect_uri !== null && (!isAddress(redirect_uri) || redirect_uri.includes('#'))) {
      throw refusal(
        'invalid_body',
        'redirect_uri',
        'redirect_uri must be an https address; http on this machine alone',
      );
    }
    if (!scopes.includes('openid')) throw refusal('invalid_body', 'scopes', 'openid must be among scopes');
    if (auto_assign_company === null) return;
    const company = await this.companies.find(new TenantScope(auto_assign_company));
    if (!company?.active) throw refusal('unknown_id', 'auto_assign_company', 'there is no such active company');
  }

  private sealed(id: string, secret: string | null): string | null {
    return secret === null ? null : this.secrets.seal(clientSecretPlace(id), secret);
  }
}

/** Tokens and codes are sent there, so the connection must be encrypted. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/** The secret appears by its change alone: its name makes the audit log hide the values. */
function changes(
  before: OAuthProviderDocument | null,
  after: OAuthProviderDocument | null,
): Record<string, AuditChange> {
  return changesBetween(before, after, [
    'name',
    'issuer',
    'client_id',
    'client_secret',
    'redirect_uri',
    'scopes',
    'auto_create_users',
    'auto_assign_company',
    'auto_assign_role',
  ]);
}

function entryOf(actor: Actor, id: string, action: AuditAction, changes: Record<string, AuditChange>): AuditEntryInput {
  const subject = { collection: OAUTH_PROVIDERS, resource_type: 'oauth_provider', resource_id: id };
  return actorEntry(actor, action, subject, changes);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'There is no such identity provider.');
}

function refusal(code: ErrorCode, path: string, message: string): WeftError {
  return new WeftError(code, `${message}.`, { errors: [{ path, code, message }] });
}
