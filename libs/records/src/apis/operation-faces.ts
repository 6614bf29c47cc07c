import { FLOW_FACE, linkKindsFor, MCP_FACE, type Face, type FaceFault, type Faces } from '@weft/layers';
import { NO_REQUEST } from '@weft/openapi';
import type { TenantScope } from '@weft/store';
import type { ApiOperationRepository, StoredOperation } from './api-operation.repository.js';
import { createHash } from 'node:crypto';
import type { FlowRepository } from '../flows/flow.repository.js';
import type { CallableRow } from '../flows/runnable-flow.js';
import type { ApiHead, ApiRepository } from './api.repository.js';
import { factsOf, type ApiKind } from './api.schema.js';

/** What a key of a face names: `<api>/<operation>`, or `mcp:<server>/<tool>`; then `@<digest>` where a state of it is meant. */
export interface NamedOperation {
  readonly kind: ApiKind;
  readonly api: string;
  readonly name: string;
  readonly digest: string | undefined;
}

const KEY = /^([^/@]+)\/([^/@]+)(?:@([^/@]+))?$/;

/** Null for what is not a key. */
export function readFaceKey(key: string): NamedOperation | null {
  const kind = key.startsWith(MCP_FACE) ? 'mcp' : 'openapi';
  const [, api, name, digest] = KEY.exec(kind === 'mcp' ? key.slice(MCP_FACE.length) : key) ?? [];
  return api !== undefined && name !== undefined ? { kind, api, name, digest } : null;
}

/** What the layers of a company's flows name: operations of its APIs, tools of its MCP servers, and flows as tools of agents. */
export class OperationFaces {
  constructor(
    private readonly apis: Pick<ApiRepository, 'findNamed'>,
    private readonly operations: Pick<ApiOperationRepository, 'find'>,
    private readonly flows: Pick<FlowRepository, 'findCallable'>,
  ) {}

  /** One after the other: each may be large. */
  async find(scope: TenantScope, keys: readonly string[]): Promise<Faces> {
    const found = new Map<string, Face | FaceFault>();
    for (const key of keys) found.set(key, await this.findOne(scope, key));
    return found;
  }

  async findOne(scope: TenantScope, key: string): Promise<Face | FaceFault> {
    if (key.startsWith(FLOW_FACE)) return this.ofFlow(scope, key.slice(FLOW_FACE.length));
    const named = readFaceKey(key);
    const api = named && (await this.apis.findNamed(scope, named.kind, named.api));
    if (!named || !api) return named?.kind === 'mcp' ? serverNotFound(named) : apiNotFound(named?.api ?? key);
    const stored = await this.operations.find(scope, api._id, named.name, named.digest);
    if (stored) return faceOf(stored, api);
    if (named.kind === 'mcp') return toolNotFound(named, api);
    const isThere = named.digest !== undefined && (await this.operations.find(scope, api._id, named.name)) !== null;
    return isThere ? operationChanged(named) : operationNotFound(named, api);
  }

  private async ofFlow(scope: TenantScope, id: string): Promise<Face | FaceFault> {
    const flow = await this.flows.findCallable(scope, id);
    if (flow) return faceOfFlow(flow);
    const message = 'the company has no flow with this id, or it was deleted';
    return { code: 'flow_not_found', path: 'flowId', message };
  }
}

/** As it is run now: a flow that was saved again is another tool. */
function faceOfFlow({ name: title, description, argsSchema }: CallableRow): Face {
  const schema = { type: 'object', ...argsSchema };
  const digest = createHash('sha256')
    .update(JSON.stringify([title, description, schema]))
    .digest('base64url');
  return {
    ...{ title, description, digest, argsSchema: schema, outSchema: {}, plan: NO_REQUEST, baseUrl: null },
    ...{ linkKinds: [], warnings: [] },
  };
}

function faceOf(operation: StoredOperation, api: ApiHead): Face {
  const { title, name, description, digest, argsSchema, outSchema, plan, current, deprecated } = operation;
  return {
    title: title || name,
    ...{ description, digest, argsSchema, outSchema, plan, baseUrl: api.baseUrl },
    ...(plan.tool && { server: serverOf(api) }),
    linkKinds: linkKindsFor(plan.security, factsOf(api)?.schemes ?? {}),
    warnings: [
      ...(current ? [] : [plan.tool ? OTHER_TOOL : OTHER_STATE]),
      ...(deprecated ? ['Its document says that it should not be used any more.'] : []),
    ],
  };
}

const OTHER_STATE = 'Its document says something else of it by now: this is the state that the flow is pinned to.';
const OTHER_TOOL =
  'Its server offered another tool at the last refresh: a call fails (tool_changed) unless it offers this one again.';

export function serverOf({ _id, source, era = 'auto', integrationId }: ApiHead): NonNullable<Face['server']> {
  return { id: _id, url: 'url' in source ? source.url : '', era, integrationId };
}

function serverNotFound({ api }: NamedOperation): FaceFault {
  const message = `the company has no MCP server with the id or key "${api}": add it, or name another one`;
  return { code: 'tool_not_found', path: 'server', message };
}

function toolNotFound({ name, digest }: NamedOperation, { name: server, importedAt }: ApiHead): FaceFault {
  if (importedAt === null) {
    const message = `the tools of the MCP server "${server}" have not been read yet`;
    return { code: 'tool_not_found', path: 'tool', message };
  }
  if (digest === undefined) {
    const message = `the MCP server "${server}" has no tool "${name}": it offers others, or does not have it any more`;
    return { code: 'tool_not_found', path: 'tool', message };
  }
  const message = `the tool "${name}" is not stored in this state: leave the digest out to take it as it is now`;
  return { code: 'tool_changed', path: 'digest', message };
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
