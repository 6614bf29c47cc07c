import { linkKindsFor, type Face, type FaceFault, type Faces } from '@weft/layers';
import type { TenantScope } from '@weft/store';
import type { ApiOperationRepository, StoredOperation } from './api-operation.repository.js';
import type { ApiHead, ApiRepository } from './api.repository.js';
import { factsOf } from './api.schema.js';

/** What a key of a face names: `<api>/<operation>`, then `@<digest>` where a state of it is meant. */
export interface NamedOperation {
  readonly api: string;
  readonly name: string;
  readonly digest: string | undefined;
}

const KEY = /^([^/@]+)\/([^/@]+)(?:@([^/@]+))?$/;

/** Null for what is not a key. */
export function readFaceKey(key: string): NamedOperation | null {
  const [, api, name, digest] = KEY.exec(key) ?? [];
  return api !== undefined && name !== undefined ? { api, name, digest } : null;
}

/** What the layers of a company's flows name: operations of its APIs. */
export class OperationFaces {
  constructor(
    private readonly apis: Pick<ApiRepository, 'findNamed'>,
    private readonly operations: Pick<ApiOperationRepository, 'find'>,
  ) {}

  /** One after the other: each may be large. */
  async find(scope: TenantScope, keys: readonly string[]): Promise<Faces> {
    const found = new Map<string, Face | FaceFault>();
    for (const key of keys) found.set(key, await this.findOne(scope, key));
    return found;
  }

  async findOne(scope: TenantScope, key: string): Promise<Face | FaceFault> {
    const named = readFaceKey(key);
    const api = named && (await this.apis.findNamed(scope, named.api));
    if (!named || !api) return apiNotFound(named?.api ?? key);
    const stored = await this.operations.find(scope, api._id, named.name, named.digest);
    if (stored) return faceOf(stored, api);
    const isThere = named.digest !== undefined && (await this.operations.find(scope, api._id, named.name)) !== null;
    return isThere ? operationChanged(named) : operationNotFound(named, api);
  }
}

function faceOf(operation: StoredOperation, api: Pick<ApiHead, 'facts' | 'baseUrl'>): Face {
  const { title, name, description, digest, argsSchema, outSchema, plan, current, deprecated } = operation;
  return {
    title: title || name,
    ...{ description, digest, argsSchema, outSchema, plan, baseUrl: api.baseUrl },
    linkKinds: linkKindsFor(plan.security, factsOf(api)?.schemes ?? {}),
    warnings: [
      ...(current
        ? []
        : ['Its document says something else of it by now: this is the state that the flow is pinned to.']),
      ...(deprecated ? ['Its document says that it should not be used any more.'] : []),
    ],
  };
}

function apiNotFound(api: string): FaceFault {
  const message = `the company has no API with the id or key "${api}": import its document, or name another one`;
  return { code: 'api_not_found', path: 'api', message };
}

function operationNotFound({ name }: NamedOperation, { name: api, importedAt }: ApiHead): FaceFault {
  const message =
    importedAt === null
      ? `no document of the API "${api}" has been imported yet`
      : `the API "${api}" has no operation "${name}": its document names others, or does not have it any more`;
  return { code: 'operation_not_found', path: 'operation', message };
}

function operationChanged({ name }: NamedOperation): FaceFault {
  const message = `the operation "${name}" is not stored in this state: leave the digest out to take it as it is now`;
  return { code: 'operation_changed', path: 'digest', message };
}
