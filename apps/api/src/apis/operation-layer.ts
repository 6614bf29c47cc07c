import type { LayerDefinition } from '@weft/engine';
import type { ApiDocument } from '@weft/records';

/** The modules whose layers call operations of APIs and tools of MCP servers, and how they name them. */
const CALLERS = {
  openapi: { appId: 'operation', api: 'api', operation: 'operation' },
  mcp: { appId: 'mcp-tool', api: 'server', operation: 'tool' },
} as const;

/** Which state of which operation of this API, or tool of this server, a layer calls; null: none. */
export function operationOf(
  { appId, args }: LayerDefinition,
  { _id, key, kind }: Pick<ApiDocument, '_id' | 'key' | 'kind'>,
): { readonly operation: string; readonly digest: string } | null {
  const caller = CALLERS[kind];
  const { [caller.api]: api, [caller.operation]: operation, digest } = args;
  if (appId !== caller.appId || (api !== _id && (key === null || api !== key))) return null;
  return typeof operation === 'string' && typeof digest === 'string' ? { operation, digest } : null;
}
