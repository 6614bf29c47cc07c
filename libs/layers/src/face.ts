/** What a company has of its own that layers name in their arguments: an operation of an API, a tool of an MCP server, a flow. Pure. */
import type { JsonSchema } from '@weft/json-schema';
import type { OperationPlan } from '@weft/openapi';
import type { LinkKind } from '@weft/shapes';
import type { McpEra } from './mcp/mcp-session.js';

export interface Face {
  readonly title: string;
  readonly description: string;
  /** The state that a version of a flow is pinned to. */
  readonly digest: string;
  /** JSON Schema of the argument `input`, with its own `$defs`. */
  readonly argsSchema: JsonSchema;
  /** Of the output of one call, with its own `$defs`. */
  readonly outSchema: JsonSchema;
  /** Where a later state takes the place of this one, or it should not be used any more. */
  readonly warnings: readonly string[];
  /** The kinds of links that show what the peer asks for; empty: it asks for nothing, or does not say. */
  readonly linkKinds: readonly LinkKind[];
  readonly plan: OperationPlan;
  /** Takes the place of the servers of the plan; null: those hold. */
  readonly baseUrl: string | null;
  /** Of a tool: its MCP server. */
  readonly server?: FaceServer;
}

export interface FaceServer {
  readonly id: string;
  readonly url: string;
  readonly era: McpEra;
  /** The link whose credential the server is shown. */
  readonly integrationId: string | null;
}

/** Why the company has nothing that the arguments name. */
export interface FaceFault {
  readonly code:
    | ('api_not_found' | 'operation_not_found' | 'operation_changed')
    | ('tool_not_found' | 'tool_changed' | 'flow_not_found');
  /** The argument that names it. */
  readonly path: string;
  readonly message: string;
}

export function isFaceFault(found: Face | FaceFault): found is FaceFault {
  return 'code' in found;
}

/** By the key that `faceKey` of a module gives. */
export type Faces = ReadonlyMap<string, Face | FaceFault>;
export const NO_FACES: Faces = new Map();
