import { filePath } from '@weft/contracts';
import { parseStoredJson } from '@weft/kernel';
import { suggestedLinks, type SuggestedLink } from '@weft/layers';
import type { ApiFacts, ImportReport } from '@weft/openapi';
import {
  API_STATES,
  factsOf,
  type ApiFound,
  type ApiHead,
  type ApiSource,
  type OperationHead,
  type StoredOperation,
} from '@weft/records';
import { LINK_KINDS } from '@weft/shapes';
import * as s from '../http/schema.js';

type ApiState = ApiFound['state'];

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
  /** Null until an import has succeeded. */
  readonly operations: number | null;
  readonly sha256: string | null;
  readonly importedAt: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ApiReportView extends ApiView {
  /** Null until an import has succeeded. */
  readonly report: ImportReport | null;
  readonly mayUseLink: boolean;
  /** An OpenAPI Overlay, which each import applies to the document. */
  readonly overlay: Readonly<Record<string, unknown>> | null;
  /** Links that show what its operations ask for, what most of them ask for first. */
  readonly security: readonly SuggestedLink[];
  /** With how many operations each has, the commonest first. */
  readonly tags: readonly { readonly name: string; readonly operations: number }[];
}

export type OperationHeadView = Omit<OperationHead, '_id' | 'company_id' | 'apiId' | 'current' | 'pastSince'>;
export type OperationView = Omit<OperationHeadView, 'method' | 'path'> &
  Pick<StoredOperation, 'current' | 'plan' | 'argsSchema' | 'outSchema'> &
  Pick<ApiReportView, 'security'>;

/** What APIs and MCP servers show alike. */
export function commonView(api: ApiHead, facts: ApiFacts | null) {
  const { _id: id, key, name, state, fault, integrationId, createdBy } = api;
  return {
    ...{ id, key, name, state, fault, integrationId, createdBy },
    title: facts?.title ?? null,
    version: facts?.version ?? null,
    description: facts?.description ?? null,
    importedAt: api.importedAt?.toISOString() ?? null,
    createdAt: api.createdAt.toISOString(),
    updatedAt: api.updatedAt.toISOString(),
  };
}

export function toApiView(api: ApiHead): ApiView {
  return apiView(api, factsOf(api));
}

function apiView(api: ApiHead, facts: ApiFacts | null): ApiView {
  return {
    ...commonView(api, facts),
    source: toSourceView(api.source),
    baseUrl: api.baseUrl,
    servers: facts?.servers ?? [],
    securitySchemes: facts?.schemes ?? {},
    operations: api.report?.operations ?? null,
    sha256: api.documentDigest,
  };
}

/** @param mayUseLink whether layers that the caller writes may call with its link */
export function toApiReportView(api: ApiFound, mayUseLink: boolean): ApiReportView {
  const facts = factsOf(api);
  const { servers = [], schemes = {}, security, tags = [] } = facts ?? {};
  // 1.0 has not counted them
  const asked = security ?? Object.keys(schemes).map((name) => ({ schemes: [name], scopes: [] }));
  const links = suggestedLinks({ security: asked, schemes, server: servers[0], baseUrl: api.baseUrl });
  const overlay = api.overlay ? (parseStoredJson(api.overlay) as ApiReportView['overlay']) : null;
  return { ...apiView(api, facts), report: api.report, mayUseLink, overlay, security: links, tags };
}

export function toOperationHeadView(head: OperationHead): OperationHeadView {
  const { name, digest, kind, title, description, tags, deprecated, method, path } = head;
  return { name, digest, kind, title, description, tags, deprecated, method, path };
}

/** @param api the one that has it */
export function toOperationView({ ...operation }: StoredOperation, api: ApiHead): OperationView {
  const { security, servers } = operation.plan;
  const asked = security.map((uses) => ({
    schemes: uses.map(({ scheme }) => scheme),
    scopes: uses.flatMap(({ scopes }) => scopes),
  }));
  const schemes = factsOf(api)?.schemes ?? {};
  return {
    ...operation,
    security: suggestedLinks({ security: asked, schemes, server: servers[0], baseUrl: api.baseUrl }),
  };
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
const securitySchema = {
  ...s.listOf(
    s.object<SuggestedLink>({
      schemes: { ...s.listOf(s.text), description: 'Security schemes of the document, all of which the link shows.' },
      kind: s.oneOf(LINK_KINDS),
      endpoint: s.textOrNull,
      settings: { ...s.freeObject, description: 'As of a link.' },
      scopes: s.listOf(s.text),
      description: { ...s.text, description: 'What the document says of the credential.' },
    }),
  ),
  description:
    'Links that show what is asked for: bodies of POST /integrations, without name, type and secrets. What no kind of link can show is left out.',
};
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
    security: securitySchema,
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
  integrationId: { ...s.textOrNull, description: 'The link of the API: see `integrationId` of POST /apis.' },
  baseUrl: s.textOrNull,
  title: { ...s.textOrNull, description: 'Of the document, as the next ones; null until an import has succeeded.' },
  version: s.textOrNull,
  description: s.textOrNull,
  servers: s.listOf(s.freeObject),
  securitySchemes: { ...s.freeObject, description: 'As OpenAPI 3.1 describes them, by name.' },
  operations: { ...s.integerOrNull, description: 'How many it has.' },
  sha256: { ...s.textOrNull, description: 'Of the document, in hexadecimal.' },
  importedAt: s.timeOrNull,
  createdBy: s.text,
  createdAt: s.time,
  updatedAt: s.time,
};
export const apiSchema = s.named('Api', s.object<ApiView>(apiFields));
export const apiReportSchema = s.named(
  'ApiWithReport',
  s.object<ApiReportView>({
    ...apiFields,
    report: s.orNull(reportSchema),
    mayUseLink: {
      ...s.flag,
      description: 'Whether layers of yours may call with the link `integrationId`; false also without one.',
    },
    overlay: {
      ...s.orNull(s.freeObject),
      description: 'An OpenAPI Overlay 1.0, which each import applies to the document; null: none.',
    },
    security: securitySchema,
    tags: {
      ...s.listOf(s.object<ApiReportView['tags'][number]>({ name: s.text, operations: s.integer })),
      description: 'Of its operations, the commonest first; the first 200.',
    },
  }),
);
export const apiPageSchema = s.pageOf('Api', apiSchema);
