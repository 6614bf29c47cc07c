import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { fileIdOf } from '@weft/contracts';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import {
  ApiOperationRepository,
  ApiRepository,
  APIS,
  type ApiDocument,
  type ApiHead,
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

const MOST_APIS = 200;
const AUDITED = ['name', 'key', 'source', 'integrationId', 'baseUrl'] as const;

/** The APIs of the caller's company. A scheduler imports their documents. */
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
  async create(actor: Actor, body: CreateApiBody): Promise<ApiDocument> {
    const { caller } = actor;
    const { integrationId = null } = body;
    if (integrationId !== null) await this.integrations.assertMayUse(caller, integrationId, 'integrationId');
    const source = await this.sourceOf(caller, body.source);
    const now = new Date(this.mongo.serverNow());
    const api: ApiDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      kind: 'openapi',
      name: body.name,
      key: body.key ?? null,
      source,
      integrationId,
      baseUrl: withoutSlash(body.baseUrl ?? null),
      state: 'importing',
      fault: null,
      ...{ facts: null, report: null, documentDigest: null, importedAt: null, refresh: null },
      asked: { source, dryRun: false },
      turnAt: now,
      ...{ term: 0, attempts: 0 },
      createdBy: caller.userId,
      ...{ createdAt: now, updatedAt: now },
    };
    const entry = entryOf(actor, 'api_created', null, api);
    const done = await this.apis.insert(scopeOf(caller), api, MOST_APIS, entry);
    if (done === 'full') throw new WeftError('too_many_apis', `A company has at most ${MOST_APIS} APIs.`);
    if (done === 'key_taken') throw keyTaken(api.key);
    return api;
  }

  list(caller: Principal, page: PageRequest): Promise<PageOf<ApiHead>> {
    return this.apis.list(scopeOf(caller), page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, name: string): Promise<ApiDocument> {
    const found = await this.apis.find(scopeOf(caller), name);
    if (!found) throw notFound();
    return found;
  }

  /** Whether layers that the caller writes may call with the link of the API. */
  async mayUseLink(caller: Principal, { integrationId }: ApiDocument): Promise<boolean> {
    return integrationId !== null && this.integrations.mayUse(caller, integrationId);
  }

  /** @throws WeftError `not_found`, `unknown_id`, `denied`, `key_taken` */
  async update(actor: Actor, name: string, body: UpdateApiBody): Promise<ApiDocument> {
    const { caller } = actor;
    const before = await this.read(caller, name);
    const { integrationId = before.integrationId, baseUrl = before.baseUrl } = body;
    if (integrationId !== null && integrationId !== before.integrationId) {
      await this.integrations.assertMayUse(caller, integrationId, 'integrationId');
    }
    const fields = {
      name: body.name ?? before.name,
      key: body.key === undefined ? before.key : body.key,
      ...{ integrationId, baseUrl: withoutSlash(baseUrl) },
    };
    const entry = entryOf(actor, 'api_updated', before, { ...before, ...fields });
    if (Object.keys(entry.changes ?? {}).length === 0) return before;
    const done = await this.apis.change(scopeOf(caller), before._id, fields, entry);
    if (done === 'key_taken') throw keyTaken(fields.key);
    if (done === 'gone') throw notFound();
    return this.read(caller, before._id);
  }

  /** @throws WeftError `not_found`, `not_imported`, `invalid_body`, `denied` */
  async refresh(actor: Actor, name: string, { dryRun = false, source: given }: RefreshApiBody): Promise<ApiDocument> {
    const { caller } = actor;
    const before = await this.read(caller, name);
    if (dryRun && before.importedAt === null) {
      throw new WeftError('not_imported', 'No document was imported yet that another one could be compared with.');
    }
    // another address is called with the credential of the link
    if (given?.url !== undefined && before.integrationId !== null) {
      await this.integrations.assertMayUse(caller, before.integrationId, 'source.url');
    }
    const source = given ? await this.sourceOf(caller, given) : before.source;
    const changes = { ...entryOf(actor, 'api_refreshed', before, { ...before, source }).changes };
    const entry = {
      ...entryOf(actor, 'api_refreshed', before, before),
      changes: { ...changes, dryRun: { before: null, after: dryRun } },
    };
    if ((await this.apis.ask(scopeOf(caller), before._id, { source, dryRun }, entry)) === 'gone') throw notFound();
    return this.read(caller, before._id);
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, name: string): Promise<void> {
    const before = await this.read(actor.caller, name);
    const entry = entryOf(actor, 'api_deleted', before, null);
    if ((await this.apis.remove(scopeOf(actor.caller), before._id, entry)) === 'gone') throw notFound();
  }

  /** @throws WeftError `not_found` */
  async listOperations(
    caller: Principal,
    name: string,
    { q, tag }: ListOperationsQuery,
    page: PageRequest,
  ): Promise<PageOf<OperationHead>> {
    const { _id } = await this.head(caller, name);
    return this.operations.list(scopeOf(caller), _id, { q, tag }, page);
  }

  /** @throws WeftError `not_found` */
  async readOperation(
    caller: Principal,
    name: string,
    operation: string,
    digest?: string,
  ): Promise<{ readonly operation: StoredOperation; readonly api: ApiHead }> {
    const api = await this.head(caller, name);
    const found = await this.operations.find(scopeOf(caller), api._id, operation, digest);
    if (!found) throw new WeftError('not_found', 'The API has no such operation.');
    return { operation: found, api };
  }

  private async head(caller: Principal, name: string): Promise<ApiHead> {
    const found = await this.apis.findNamed(scopeOf(caller), name);
    if (!found) throw notFound();
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
  action: AuditAction,
  before: ApiDocument | null,
  after: ApiDocument | null,
): AuditEntryInput {
  const shown = (api: ApiDocument | null) =>
    api && { ...api, source: auditedSource(api.source), baseUrl: auditedAddress(api.baseUrl) };
  const subject = { collection: APIS, resource_type: 'api', resource_id: (after ?? before)?._id ?? '' };
  return actorEntry(actor, action, subject, changesBetween(shown(before), shown(after), AUDITED));
}

function auditedSource(source: ApiSource): ApiSource {
  return 'url' in source ? { url: auditedAddress(source.url) ?? '' } : source;
}

function withoutSlash(address: string | null): string | null {
  return address?.replace(/\/+$/, '') ?? null;
}

function scopeOf({ companyId }: Principal): TenantScope {
  return new TenantScope(companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'Your company has no such API.');
}

function keyTaken(key: string | null): WeftError {
  const message = `another API of the company has the key "${key ?? ''}"`;
  return new WeftError('key_taken', `${message}.`, { errors: [{ path: 'key', code: 'key_taken', message }] });
}

function refusal(path: string, why: string): WeftError {
  const message = `${path} ${why}`;
  return new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}
