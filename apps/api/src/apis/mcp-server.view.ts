import type { ImportReport } from '@weft/openapi';
import { MCP_ERAS, type McpEra } from '@weft/layers';
import {
  API_STATES,
  factsOf,
  type ApiFound,
  type ApiHead,
  type OperationHead,
  type StoredOperation,
} from '@weft/records';
import * as s from '../http/schema.js';
import { commonView, reportSchema } from './api.view.js';

/** docs/http-api.md §7, an MCP server whose tools layers call. */
export interface McpServerView {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
  readonly state: ApiFound['state'];
  readonly fault: string | null;
  readonly url: string;
  readonly integrationId: string | null;
  readonly era: McpEra;
  readonly protocol: string | null;
  readonly title: string | null;
  readonly version: string | null;
  readonly description: string | null;
  readonly importedAt: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface McpServerReportView extends McpServerView {
  /** Null until its tools were read. */
  readonly report: ImportReport | null;
}

export type ToolHeadView = Pick<OperationHead, 'name' | 'digest' | 'title' | 'description' | 'tags'>;
export type ToolView = ToolHeadView & Pick<StoredOperation, 'current' | 'argsSchema' | 'outSchema'>;

export function toMcpServerView(server: ApiHead): McpServerView {
  const facts = factsOf(server);
  const { source, era = 'auto' } = server;
  return {
    ...commonView(server, facts),
    url: 'url' in source ? source.url : '',
    era,
    protocol: facts?.protocol ?? null,
  };
}

export function toMcpServerReportView(server: ApiFound): McpServerReportView {
  return { ...toMcpServerView(server), report: server.report };
}

export function toToolHeadView({ name, digest, title, description, tags }: OperationHead): ToolHeadView {
  return { name, digest, title, description, tags };
}

export function toToolView(tool: StoredOperation): ToolView {
  const { name, digest, title, description, tags, current, argsSchema, outSchema } = tool;
  return { name, digest, title, description, tags, current, argsSchema, outSchema };
}

const toolHeadFields = {
  name: { ...s.text, description: 'What layers name it by.' },
  digest: { ...s.text, description: 'Of its name, its description and its schemas, as the server has them.' },
  title: s.text,
  description: s.text,
  tags: {
    ...s.listOf(s.text),
    description:
      'What the server says of it: `read-only`, `destructive`, `idempotent`, `open-world`. Nothing depends on them.',
  },
};
export const toolHeadSchema = s.named('McpToolHead', s.object<ToolHeadView>(toolHeadFields));
export const toolPageSchema = s.pageOf('McpTool', toolHeadSchema);
export const toolSchema = s.named(
  'McpTool',
  s.object<ToolView>({
    ...toolHeadFields,
    current: { ...s.flag, description: 'The server had it as it is here at the last refresh.' },
    argsSchema: { ...s.freeObject, description: 'JSON Schema of its arguments.' },
    outSchema: { ...s.freeObject, description: 'JSON Schema of `{ content, structured, isError }`.' },
  }),
);

const serverFields = {
  id: s.text,
  key: s.textOrNull,
  name: s.text,
  state: {
    ...s.oneOf(API_STATES),
    description: 'Of the last refresh. The tools of the one before can be used meanwhile, and after a failure.',
  },
  fault: { ...s.textOrNull, description: 'Why the last refresh failed, and what to do.' },
  url: s.text,
  integrationId: s.textOrNull,
  era: s.oneOf(MCP_ERAS),
  protocol: { ...s.textOrNull, description: 'The revision of the protocol that its tools were read with.' },
  title: { ...s.textOrNull, description: 'Of the server, as the next ones; null until its tools were read.' },
  version: s.textOrNull,
  description: s.textOrNull,
  importedAt: { ...s.timeOrNull, description: 'When its tools were read.' },
  createdBy: s.text,
  createdAt: s.time,
  updatedAt: s.time,
};
export const mcpServerSchema = s.named('McpServer', s.object<McpServerView>(serverFields));
export const mcpServerReportSchema = s.named(
  'McpServerWithReport',
  s.object<McpServerReportView>({ ...serverFields, report: s.orNull(reportSchema) }),
);
export const mcpServerPageSchema = s.pageOf('McpServer', mcpServerSchema);
export const authorizationSchema = s.named(
  'McpServerAuthorization',
  s.object<{ integrationId: string }>({ integrationId: s.text }),
);
