import { parseStoredJson } from '@weft/kernel';
import type { Operation } from '@weft/openapi';
import type { mongo } from 'mongoose';
import {
  countWithin,
  readInPortions,
  toPageOf,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { escapeRegex } from '../database/escape-regex.js';
import { API_OPERATIONS, apiOperationId, type ApiOperationDocument } from './api-operation.schema.js';

export interface StoredOperation extends Operation {
  readonly kind: ApiOperationDocument['kind'];
  readonly current: boolean;
}

/** What lists show. */
export type OperationHead = Omit<ApiOperationDocument, 'plan' | 'argsSchema' | 'outSchema' | 'bytes'>;

export interface OperationFilter {
  /** Text in its name, title, method or path, whatever its case. */
  readonly q?: string;
  readonly tag?: string;
}

const HEAD = { plan: 0, argsSchema: 0, outSchema: 0, bytes: 0 } as const;

/** The operations of a company's APIs. Imports write them: `ApiImports`. */
export class ApiOperationRepository {
  constructor(private readonly mongo: Mongo) {}

  /** @param digest left out: the one that is current */
  async find(scope: TenantScope, apiId: string, name: string, digest?: string): Promise<StoredOperation | null> {
    const which = digest === undefined ? { name, current: true } : { _id: apiOperationId(apiId, name, digest) };
    const found = await this.operations().findOne({ company_id: scope.companyId, apiId, ...which });
    return found && toOperation(found);
  }

  /** Of the one that is current; null: the last import does not have it. */
  async currentDigest(scope: TenantScope, apiId: string, name: string): Promise<string | null> {
    const found = await this.operations().findOne(
      { company_id: scope.companyId, apiId, name, current: true },
      { projection: { digest: 1 } },
    );
    return found?.digest ?? null;
  }

  /** Those that are current, by name; `after` of the page is a name. */
  async list(
    { companyId }: TenantScope,
    apiId: string,
    { q, tag }: OperationFilter,
    page: PageRequest,
  ): Promise<PageOf<OperationHead>> {
    const text = q === undefined ? null : { $regex: escapeRegex(q), $options: 'i' };
    const filter: mongo.Filter<ApiOperationDocument> = {
      company_id: companyId,
      apiId,
      current: true,
      ...(tag !== undefined && { tags: tag }),
      ...(text && { $or: [{ name: text }, { title: text }, { method: text }, { path: text }] }),
    };
    const window = page.after === null ? filter : { $and: [filter, { name: { $gt: page.after } }] };
    const found = this.operations()
      .find<OperationHead>(window, { projection: HEAD })
      .sort({ name: 1 })
      .skip(page.after === null ? page.page * page.size : 0)
      .limit(page.size + 1);
    const count = countWithin<ApiOperationDocument>(this.operations(), filter);
    return toPageOf(
      page,
      readInPortions(found, () => 1, 5),
      count,
      ({ name }) => name,
    );
  }

  private operations(): mongo.Collection<ApiOperationDocument> {
    return this.mongo.collection<ApiOperationDocument>(API_OPERATIONS);
  }
}

export function toOperation(stored: ApiOperationDocument): StoredOperation {
  const { kind, name, digest, current, title, description, tags, deprecated } = stored;
  return {
    ...{ kind, name, digest, current, title, description, tags, deprecated },
    plan: parseStoredJson(stored.plan) as Operation['plan'],
    argsSchema: parseStoredJson(stored.argsSchema) as Operation['argsSchema'],
    outSchema: parseStoredJson(stored.outSchema) as Operation['outSchema'],
  };
}
