/** A tool of an agent, as it was listed and as its model sees it. */
import type { JsonSchema } from '@weft/json-schema';
import type { Face } from '../../../face.js';
import type { ChatTool } from '../provider/port.js';
import type { ToolArgs } from '../shape.js';

export interface AgentTool extends ChatTool {
  /** Its place in the list of the layer. */
  readonly at: number;
  readonly listed: ToolArgs;
  /** The module that makes its calls. */
  readonly appId: ToolAppId;
  readonly face: Face;
  /** What its calls are judged by, with the values that Weft puts in. */
  readonly argsSchema: JsonSchema;
  /** Whether its calls change nothing, as far as that is certain: what a server says of its own tools is not. */
  readonly readsOnly: boolean;
}

export type ToolAppId = 'run-flow' | 'operation' | 'mcp-tool';

/** A call with arguments that fit its tool. */
export interface CheckedCall {
  readonly tool: AgentTool;
  /** What the tool takes, with `fixed` put in: a person who approves reads it, and it is stored. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Why a call is not made: for the model, as the result of the call. */
export interface RefusedCall {
  readonly refused: string;
}
