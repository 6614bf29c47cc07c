import { filePath } from '@weft/contracts';
import type { ImportReport } from '@weft/openapi';
import {
  API_STATES,
  factsOf,
  type ApiDocument,
  type ApiHead,
  type ApiSource,
  type OperationHead,
  type StoredOperation,
} from '@weft/records';
import * as s from '../http/schema.js';

type ApiState = ApiDocument['state'];

/** docs/http-api.md §7, an API: a service whose OpenAPI document the company has given. */
export interface ApiView {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
  readonly state: ApiState;
  readonly fault: string | null;
  readonly source: { readonly url: string } | { readonly payload: { readonly $ref: string } };
  readonly integrationId: string | null;
  readonly baseUrl: string | null;
  readonly title: string | null;
  readonly version: string | null;
  readonly description: string | null;
  readonly servers: readonly object[];
  readonly securitySchemes: Readonly<Record<string, object>>;
  readonly sha256: string | null;
  readonly importedAt: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ApiReportView extends ApiView {
  /** Null until an import has succeeded. */
  readonly report: ImportReport | null;
}

export type OperationHeadView = Omit<OperationHead, '_id' | 'company_id' | 'apiId' | 'current' | 'pastSince'>;
export type OperationView = Omit<OperationHeadView, 'method' | 'path'> &
  Pick<StoredOperation, 'current' | 'plan' | 'argsSchema' | 'outSchema'>;

export function toApiView(api: ApiHead): ApiView {
  const facts = factsOf(api);
  return {
    id: api._id,
    key: api.key,
    name: api.name,
    state: api.state,
    fault: api.fault,
    source: toSourceView(api.source),
    integrationId: api.integrationId,
    baseUrl: api.baseUrl,
    title: facts?.title ?? null,
    version: facts?.version ?? null,
    description: facts?.description ?? null,
    servers: facts?.servers ?? [],
    securitySchemes: facts?.schemes ?? {},
    sha256: api.documentDigest,
    importedAt: api.importedAt?.toISOString() ?? null,
    createdBy: api.createdBy,
    createdAt: api.createdAt.toISOString(),
    updatedAt: api.updatedAt.toISOString(),
  };
}

export function toApiReportView(api: ApiDocument): ApiReportView {
  return { ...toApiView(api), report: api.report };
}

export function toOperationHeadView(head: OperationHead): OperationHeadView {
  const { name, digest, kind, title, description, tags, deprecated, method, path } = head;
  return { name, digest, kind, title, description, tags, deprecated, method, path };
}

export function toOperationView({ ...operation }: StoredOperation): OperationView {
  return operation;
}

function toSourceView(source: ApiSource): ApiView['source'] {
  return 'file' in source ? { payload: { $ref: filePath(source.file) } } : { url: source.url };
}

const operationHeadFields = {
  name: { ...s.text, description: 'What layers name it by.' },
  digest: { ...s.text, description: 'Of what it does, without its texts.' },
  kind: s.oneOf(['openapi', 'mcp']),
  title: s.text,
  description: s.text,
  tags: s.listOf(s.text),
  deprecated: s.flag,
};
export const operationHeadSchema = s.named(
  'ApiOperationHead',
  s.object<OperationHeadView>({ ...operationHeadFields, method: s.text, path: s.text }),
);
export const operationPageSchema = s.pageOf('ApiOperation', operationHeadSchema);
export const operationSchema = s.named(
  'ApiOperation',
  s.object<OperationView>({
    ...operationHeadFields,
    current: { ...s.flag, description: 'The last import has it as it is here.' },
    plan: {
      ...s.freeObject,
      description: 'How it is sent: method, path, servers, parameters, body, security, paging.',
    },
    argsSchema: {
      ...s.freeObject,
      description: 'JSON Schema of `{ path, query, headers, cookies, body, contentType }`.',
    },
    outSchema: { ...s.freeObject, description: 'JSON Schema of `{ statusCode, headers, body, durationMs }`.' },
  }),
);

const findings = s.listOf(s.object<{ path: string; reason: string }>({ path: s.text, reason: s.text }));
export const reportSchema = s.object<ImportReport>({
  operations: s.integer,
  skipped: { ...findings, description: 'Operations that were left out; the first 200.' },
  skippedCount: s.integer,
  warnings: { ...findings, description: 'What was taken otherwise than the document says; the first 200.' },
  warningsCount: s.integer,
});
const apiFields = {
  id: s.text,
  key: s.textOrNull,
  name: s.text,
  state: {
    ...s.oneOf(API_STATES),
    description: 'Of the last import. What was imported before it can be used meanwhile, and after a failure.',
  },
  fault: { ...s.textOrNull, description: 'Why the last import failed, and what to do.' },
  source: {
    oneOf: [
      s.object<{ url: string }>({ url: s.text }),
      s.object<{ payload: object }>({ payload: s.object<{ $ref: string }>({ $ref: s.text }) }),
    ],
  },
  integrationId: s.textOrNull,
  baseUrl: s.textOrNull,
  title: { ...s.textOrNull, description: 'Of the document, as the next ones; null until an import has succeeded.' },
  version: s.textOrNull,
  description: s.textOrNull,
  servers: s.listOf(s.freeObject),
  securitySchemes: { ...s.freeObject, description: 'As OpenAPI 3.1 describes them, by name.' },
  sha256: { ...s.textOrNull, description: 'Of the document, in hexadecimal.' },
  importedAt: s.timeOrNull,
  createdBy: s.text,
  createdAt: s.time,
  updatedAt: s.time,
};
export const apiSchema = s.named('Api', s.object<ApiView>(apiFields));
export const apiReportSchema = s.named(
  'ApiWithReport',
  s.object<ApiReportView>({ ...apiFields, report: s.orNull(reportSchema) }),
);
export const apiPageSchema = s.pageOf('Api', apiSchema);
