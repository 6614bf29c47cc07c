import type { ImportReport } from '@weft/openapi';
import type { mongo } from 'mongoose';
import {
  findPage,
  isDuplicateKey,
  recordAudit,
  takeTurn,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { APIS, type ApiDocument, type ApiKind, type AskedImport } from './api.schema.js';

/** Lists leave out what is large. */
export type ApiHead = Omit<ApiDocument, 'report' | 'refresh' | 'overlay'> & {
  readonly report: Omit<ImportReport, 'skipped' | 'warnings'> | null;
};

/** What is shown of one. */
export type ApiFound = Omit<ApiDocument, 'refresh'>;

/** What `change` may write. */
export type ApiFields = Partial<Pick<ApiDocument, 'name' | 'key' | 'integrationId' | 'baseUrl' | 'overlay' | 'era'>>;

/** `key_taken`: another API of the company has the key. Whatever is not `done` has written nothing. */
export type ApiChange = 'done' | 'gone' | 'key_taken';

/** The APIs of a company, and its MCP servers. Every change is one transaction with its audit entry. */
export class ApiRepository {
  constructor(private readonly mongo: Mongo) {}

  /** @param name its id, or its key: an id goes first */
  find(scope: TenantScope, kind: ApiKind, name: string): Promise<ApiFound | null> {
    return this.named<ApiFound>(scope, kind, name, { refresh: 0 });
  }

  /** The same, with what its last refresh has found, which may be 2 MB. */
  findCompared(scope: TenantScope, kind: ApiKind, name: string): Promise<ApiDocument | null> {
    return this.named<ApiDocument>(scope, kind, name, {});
  }

  /** The same, without what is large. */
  findNamed(scope: TenantScope, kind: ApiKind, name: string): Promise<ApiHead | null> {
    return this.named<ApiHead>(scope, kind, name, HEAD);
  }

  list(scope: TenantScope, kind: ApiKind, page: PageRequest): Promise<PageOf<ApiHead>> {
    return findPage<ApiDocument>(this.apis(), { company_id: scope.companyId, kind, ...THERE }, page, HEAD);
  }

  /** @returns `full`: the company has `most` of its kind */
  insert(
    { companyId }: TenantScope,
    api: ApiDocument,
    most: number,
    entry: AuditEntryInput,
  ): Promise<ApiChange | 'full'> {
    if (api.company_id !== companyId) throw new TypeError('an API of another company cannot be made here');
    return orKeyTaken(
      this.mongo.transaction(async (session) => {
        await takeTurn(session, this.mongo, COMPANIES, { _id: companyId });
        const ofKind = { company_id: companyId, kind: api.kind, ...THERE };
        if ((await this.apis().countDocuments(ofKind, { session, limit: most })) >= most) return 'full';
        await this.apis().insertOne(api, { session });
        await recordAudit(session, entry);
        return 'done';
      }),
    );
  }

  change(scope: TenantScope, id: string, fields: ApiFields, entry: AuditEntryInput): Promise<ApiChange> {
    return orKeyTaken(this.write(scope, id, { $set: { ...fields, updatedAt: this.now() } }, entry));
  }

  /** Asks for an import; one that is under way does not write any more. */
  async ask(scope: TenantScope, id: string, asked: AskedImport, entry: AuditEntryInput): Promise<ApiChange> {
    const now = this.now();
    const $set = { asked, state: 'importing' as const, fault: null, attempts: 0, turnAt: now, updatedAt: now };
    return this.write(scope, id, { $set, $inc: { term: 1 } }, entry);
  }

  /** Asks for the tools of MCP servers that could not be read, and are called with this link: its credential is another one now. */
  async askAgain({ companyId }: TenantScope, integrationId: string): Promise<void> {
    const now = this.now();
    const failed = { company_id: companyId, kind: 'mcp', integrationId, state: 'failed', ...THERE } as const;
    const asked = { source: '$source', dryRun: { $literal: false } };
    const $set = { asked, state: 'importing', fault: null, attempts: { $literal: 0 }, turnAt: now, updatedAt: now };
    await this.apis().updateMany(failed, [{ $set: { ...$set, term: { $add: ['$term', 1] } } }]);
  }

  /** Nobody sees it from now on. A scheduler removes its operations, of which there may be many, and then the rest (`ApiImportsRepository`). */
  async remove(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<ApiChange> {
    const nothing = { key: null, asked: null, facts: null, report: null, refresh: null, overlay: null, attempts: 0 };
    const $set = { ...nothing, removed: true as const, turnAt: this.now() };
    return this.write(scope, id, { $set, $inc: { term: 1 } }, entry);
  }

  private async named<Found extends ApiHead>(
    { companyId }: TenantScope,
    kind: ApiKind,
    name: string,
    projection: mongo.Document,
  ): Promise<Found | null> {
    const found = await this.apis()
      .find<Found>({ company_id: companyId, kind, ...THERE, $or: [{ _id: name }, { key: name }] }, { projection })
      .toArray();
    return found.find(({ _id }) => _id === name) ?? found[0] ?? null;
  }

  private write(
    { companyId }: TenantScope,
    id: string,
    update: mongo.UpdateFilter<ApiDocument>,
    entry: AuditEntryInput,
  ): Promise<ApiChange> {
    return this.mongo.transaction(async (session) => {
      const there = { _id: id, company_id: companyId, ...THERE };
      const { matchedCount } = await this.apis().updateOne(there, update, { session });
      if (matchedCount === 0) return 'gone';
      await recordAudit(session, entry);
      return 'done';
    });
  }

  private now(): Date {
    return new Date(this.mongo.serverNow());
  }

  private apis(): mongo.Collection<ApiDocument> {
    return this.mongo.collection<ApiDocument>(APIS);
  }
}

const THERE = { removed: { $exists: false } } as const;
const HEAD = { 'report.skipped': 0, 'report.warnings': 0, refresh: 0, overlay: 0 } as const;

async function orKeyTaken<T>(write: Promise<T>): Promise<T | 'key_taken'> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicateKey(error) && error.message.includes('company_id_1_key_1')) return 'key_taken';
    throw error;
  }
}
