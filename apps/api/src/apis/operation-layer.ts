import type { LayerDefinition } from '@weft/engine';
import { withFixed, withParts } from '@weft/layers';
import type { ApiFound } from '@weft/records';

/** The modules whose layers call operations of APIs and tools of MCP servers, and how they name them. */
const CALLERS = {
  openapi: { appId: 'operation', api: 'api', operation: 'operation' },
  mcp: { appId: 'mcp-tool', api: 'server', operation: 'tool' },
} as const;

export interface PinnedOperation {
  /** In dots, from the arguments of the layer; '' for a layer that calls it by itself. */
  readonly path: string;
  readonly operation: string;
  readonly digest: string;
  /** What it is called with, as far as that is written: of a tool, what is fixed. */
  readonly input: unknown;
}

/** Which states of which operations of this API, or tools of this server, a layer calls, and tools of it. */
export function operationsOf(
  layer: LayerDefinition,
  { _id, key, kind }: Pick<ApiFound, '_id' | 'key' | 'kind'>,
): readonly PinnedOperation[] {
  const caller = CALLERS[kind];
  return withParts(layer).flatMap(({ path, appId, args }) => {
    const { [caller.api]: api, [caller.operation]: operation, digest } = args;
    if (appId !== caller.appId || (api !== _id && (key === null || api !== key))) return [];
    return typeof operation === 'string' && typeof digest === 'string'
      ? [{ path, operation, digest, input: path === '' ? args.input : fixedIn(args) }]
      : [];
  });
}

function fixedIn({ fixed }: LayerDefinition['args']): unknown {
  return typeof fixed === 'object' && fixed !== null ? withFixed({}, fixed as LayerDefinition['args']) : undefined;
}
