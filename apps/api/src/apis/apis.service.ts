import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { fileIdOf } from '@weft/contracts';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import { overlayFault } from '@weft/openapi';
import {
  ApiOperationRepository,
  ApiRepository,
  APIS,
  type ApiDocument,
  type ApiFound,
  type ApiHead,
  type ApiKind,
  type ApiSource,
  type OperationHead,
  type StoredOperation,
} from '@weft/records';
import {
  Mongo,
  PayloadStore,
  TenantScope,
  type AuditAction,
  type AuditEntryInput,
  type PageOf,
  type PageRequest,
} from '@weft/store';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { auditedAddress } from '../audit/audited-address.js';
import { IntegrationsService } from '../integrations/integrations.service.js';
import { DownloadsService } from '../payloads/downloads.service.js';
import type {
  ApiSourceGiven,
  CreateApiBody,
  ListOperationsQuery,
  RefreshApiBody,
  UpdateApiBody,
} from './api.requests.js';
import { MCP_URL, MCP_URL_SAYS, type CreateMcpServerBody } from './mcp-server.requests.js';

/** Of each kind. */
const MOST_APIS = 200;
const AUDITED = ['name', 'key', 'source', 'integrationId', 'baseUrl', 'overlay', 'era'] as const;

/** How the kinds are called. */
const NOUNS = {
  openapi: { one: 'API', operation: 'operation', resource: 'api' },
  mcp: { one: 'MCP server', operation: 'tool', resource: 'mcp_server' },
} as const;

/** What a change gives; what is left out stays. */
type ChangedFields = Partial<Pick<ApiFound, 'name' | 'key' | 'integrationId' | 'baseUrl' | 'era'>> &
  Pick<UpdateApiBody, 'overlay'>;

/** The APIs of the caller's company, and its MCP servers. A scheduler imports their documents, and lists their tools. */
@Injectable()
export class ApisService {
  constructor(
    private readonly mongo: Mongo,
    private readonly apis: ApiRepository,
    private readonly operations: ApiOperationRepository,
    private readonly payloads: PayloadStore,
    private readonly downloads: DownloadsService,
    private readonly integrations: IntegrationsService,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `invalid_body`, `unknown_id`, `denied`, `key_taken`, `too_many_apis` */
  async create(actor: Actor, body: CreateApiBody): Promise<ApiFound> {
    const { caller } = actor;
    const { integrationId = null } = body;
    if (integrationId !== null) await this.integrations.assertMayUse(caller, integrationId, 'integrationId');
    const source = await this.sourceOf(caller, body.source);
    const { name, key = null, baseUrl = null } = body;
    return this.insert(actor, {
      kind: 'openapi',
      ...{ name, key, source, integrationId, baseUrl: withoutSlash(baseUrl) },
    });
  }

  /** @throws WeftError `invalid_body`, `unknown_id`, `denied`, `key_taken`, `too_many_apis` */
  async createServer(actor: Actor, body: CreateMcpServerBody): Promise<ApiFound> {
    const { integrationId = null, name, key = null, era = 'auto' } = body;
    const link =
      integrationId === null
        ? null
        : await this.integrations.assertMayUse(actor.caller, integrationId, 'integrationId');
    const url = body.url ?? link?.Endpoint ?? null;
    if (url === null) throw refusal('url', 'must be there, or an integration that has an endpoint');
    if (!MCP_URL.test(url)) throw refusal('url', `${MCP_URL_SAYS}; the endpoint of the integration is another one`);
    return this.insert(actor, { kind: 'mcp', era, ...{ name, key, source: { url }, integrationId, baseUrl: null } });
  }

  private async insert(
    actor: Actor,
    given: Pick<ApiFound, 'kind' | 'name' | 'key' | 'source' | 'integrationId' | 'baseUrl' | 'era'>,
  ): Promise<ApiFound> {
    const { caller } = actor;
    const { kind, source } = given;
    const now = new Date(this.mongo.serverNow());
    const api: ApiDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      ...given,
      state: 'importing',
      fault: null,
      ...{ facts: null, report: null, documentDigest: null, importedAt: null, refresh: null },
      asked: { source, dryRun: false },
      turnAt: now,
      ...{ term: 0, attempts: 0 },
      createdBy: caller.userId,
      ...{ createdAt: now, updatedAt: now },
    };
    const entry = entryOf(actor, 'created', null, api);
    const done = await this.apis.insert(scopeOf(caller), api, MOST_APIS, entry);
    if (done === 'full') {
      throw new WeftError('too_many_apis', `A company has at most ${MOST_APIS} ${NOUNS[kind].one}s.`);
    }
    if (done === 'key_taken') throw keyTaken(api.key);
    return api;
  }

  list(caller: Principal, kind: ApiKind, page: PageRequest): Promise<PageOf<ApiHead>> {
    return this.apis.list(scopeOf(caller), kind, page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, kind: ApiKind, name: string): Promise<ApiFound> {
    const found = await this.apis.find(scopeOf(caller), kind, name);
    if (!found) throw notFound(kind);
    return found;
  }

  /** With what its last refresh has found. @throws WeftError `not_found` */
  async readCompared(caller: Principal, kind: ApiKind, name: string): Promise<ApiDocument> {
    const found = await this.apis.findCompared(scopeOf(caller), kind, name);
    if (!found) throw notFound(kind);
    return found;
  }

  /** Whether layers that the caller writes may call with the link of the API. */
  async mayUseLink(caller: Principal, { integrationId }: ApiFound): Promise<boolean> {
    return integrationId !== null && this.integrations.mayUse(caller, integrationId);
  }

  /** @throws WeftError `not_found`, `invalid_body`, `unknown_id`, `denied`, `key_taken` */
  async update(actor: Actor, kind: ApiKind, name: string, body: ChangedFields): Promise<ApiFound> {
    const { caller } = actor;
    const before = await this.read(caller, kind, name);
    const { integrationId = before.integrationId, baseUrl = before.baseUrl, era = before.era } = body;
    const overlay = body.overlay === undefined ? (before.overlay ?? null) : overlayText(body.overlay);
    if (integrationId !== null && integrationId !== before.integrationId) {
      await this.integrations.assertMayUse(caller, integrationId, 'integrationId');
    }
    const fields = {
      name: body.name ?? before.name,
      key: body.key === undefined ? before.key : body.key,
      ...{ integrationId, baseUrl: withoutSlash(baseUrl), ...(kind === 'openapi' && { overlay }), ...(era && { era }) },
    };
    const entry = entryOf(actor, 'updated', before, { ...before, ...fields });
    if (Object.keys(entry.changes ?? {}).length === 0) return before;
    const done = await this.apis.change(scopeOf(caller), before._id, fields, entry);
    if (done === 'key_taken') throw keyTaken(fields.key);
    if (done === 'gone') throw notFound(kind);
    return this.read(caller, kind, before._id);
  }

  /** @throws WeftError `not_found`, `not_imported`, `invalid_body`, `denied` */
  async refresh(
    actor: Actor,
    kind: ApiKind,
    name: string,
    { dryRun = false, source: given }: RefreshApiBody,
  ): Promise<ApiFound> {
    const { caller } = actor;
    const before = await this.read(caller, kind, name);
    if (dryRun && before.importedAt === null) {
      throw new WeftError('not_imported', 'Nothing was imported yet that could be compared with.');
    }
    // another address is called with the credential of the link
    if (given?.url !== undefined && before.integrationId !== null) {
      await this.integrations.assertMayUse(caller, before.integrationId, kind === 'mcp' ? 'url' : 'source.url');
    }
    const source = given ? await this.sourceOf(caller, given) : before.source;
    const changes = { ...entryOf(actor, 'refreshed', before, { ...before, source }).changes };
    const entry = {
      ...entryOf(actor, 'refreshed', before, before),
      changes: { ...changes, dryRun: { before: null, after: dryRun } },
    };
    if ((await this.apis.ask(scopeOf(caller), before._id, { source, dryRun }, entry)) === 'gone') throw notFound(kind);
    return this.read(caller, kind, before._id);
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, kind: ApiKind, name: string): Promise<void> {
    const before = await this.read(actor.caller, kind, name);
    const entry = entryOf(actor, 'deleted', before, null);
    if ((await this.apis.remove(scopeOf(actor.caller), before._id, entry)) === 'gone') throw notFound(kind);
  }

  /** @throws WeftError `not_found` */
  async listOperations(
    caller: Principal,
    kind: ApiKind,
    name: string,
    { q, tag }: ListOperationsQuery,
    page: PageRequest,
  ): Promise<PageOf<OperationHead>> {
    const { _id } = await this.readHead(caller, kind, name);
    return this.operations.list(scopeOf(caller), _id, { q, tag }, page);
  }

  /** @throws WeftError `not_found` */
  async readOperation(
    caller: Principal,
    kind: ApiKind,
    api: string,
    name: string,
    digest?: string,
  ): Promise<StoredOperation> {
    const { _id } = await this.readHead(caller, kind, api);
    const found = await this.operations.find(scopeOf(caller), _id, name, digest);
    const { one, operation } = NOUNS[kind];
    if (!found) throw new WeftError('not_found', `The ${one} has no such ${operation}.`);
    return found;
  }

  /** Without what is large. @throws WeftError `not_found` */
  async readHead(caller: Principal, kind: ApiKind, name: string): Promise<ApiHead> {
    const found = await this.apis.findNamed(scopeOf(caller), kind, name);
    if (!found) throw notFound(kind);
    return found;
  }

  /** A pasted document is kept like one that was uploaded: for a day. */
  private async sourceOf(caller: Principal, { url, document, payload }: ApiSourceGiven): Promise<ApiSource> {
    const given = [url, document, payload].filter((each) => each !== undefined);
    if (given.length !== 1) throw refusal('source', 'must have exactly one of url, document and payload');
    if (url !== undefined) return { url };
    if (document !== undefined) {
      const label = { contentType: 'text/plain', filename: 'openapi.txt', by: caller.userId };
      const { $ref } = await this.payloads.userFiles.take(scopeOf(caller), bytesOf(document), label);
      return { file: fileIdOf({ $ref }) ?? '' };
    }
    const id = fileIdOf(payload);
    if (id === null) throw refusal('source.payload', 'must be the { $ref } of an upload, as POST /payloads answers it');
    await this.downloads.open(caller, id).catch((error: unknown) => {
      if (!(error instanceof WeftError)) throw error;
      throw refusal('source.payload', 'must be a file that your company has and that you may read');
    });
    return { file: id };
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function entryOf(
  actor: Actor,
  change: 'created' | 'updated' | 'refreshed' | 'deleted',
  before: ApiFound | null,
  after: ApiFound | null,
): AuditEntryInput {
  const { resource } = NOUNS[(after ?? before)?.kind ?? 'openapi'];
  const action: AuditAction = `${resource}_${change}`;
  const shown = (api: ApiFound | null) =>
    api && {
      ...api,
      ...{ source: auditedSource(api.source), baseUrl: auditedAddress(api.baseUrl) },
      overlay: auditedOverlay(api),
    };
  const subject = { collection: APIS, resource_type: resource, resource_id: (after ?? before)?._id ?? '' };
  return actorEntry(actor, action, subject, changesBetween(shown(before), shown(after), AUDITED));
}

function auditedSource(source: ApiSource): ApiSource {
  return 'url' in source ? { url: auditedAddress(source.url) ?? '' } : source;
}

/** Its digest: an overlay may be as long as a thousand entries. */
function auditedOverlay({ overlay }: ApiFound): string | null {
  return overlay ? `sha256:${createHash('sha256').update(overlay).digest('hex')}` : null;
}

/** @throws WeftError `invalid_body` */
function overlayText(overlay: NonNullable<UpdateApiBody['overlay']> | null): string | null {
  if (overlay === null) return null;
  const fault = overlayFault(overlay);
  if (fault) throw refusal(['overlay', fault.path].filter((each) => each !== '').join('.'), fault.message);
  return JSON.stringify(overlay);
}

function withoutSlash(address: string | null): string | null {
  return address?.replace(/\/+$/, '') ?? null;
}

function scopeOf({ companyId }: Principal): TenantScope {
  return new TenantScope(companyId);
}

function notFound(kind: ApiKind): WeftError {
  return new WeftError('not_found', `Your company has no such ${NOUNS[kind].one}.`);
}

function keyTaken(key: string | null): WeftError {
  const message = `another API or MCP server of the company has the key "${key ?? ''}"`;
  return new WeftError('key_taken', `${message}.`, { errors: [{ path: 'key', code: 'key_taken', message }] });
}

function refusal(path: string, why: string): WeftError {
  const message = `${path} ${why}`;
  return new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}
