/** The layers of other modules that the tools of an agent are: what they name is found in one way. Pure. */
import type { LayerPart } from '../../../layer-part.js';
import { mcpTool } from '../../mcp-tool/mcp-tool.layer.js';
import { operation } from '../../operation/operation.layer.js';
import type { ToolArgs } from '../shape.js';
import type { ToolAppId } from './tool.js';

/** Begins the keys of faces that are flows. */
export const FLOW_FACE = 'flow:';

type Given = Readonly<Record<string, unknown>>;

export interface ToolPart extends LayerPart {
  readonly appId: ToolAppId;
}

/** @param at its place in the list */
export function partOf(tool: Pick<ToolArgs, 'kind'> & Given, at: number): ToolPart {
  const part = { path: `tools.${at}`, args: tool };
  switch (tool.kind) {
    case 'operation':
      return { ...part, appId: 'operation', faceKey: operation.faceKey?.(tool) ?? null, isPinned: true };
    case 'mcp':
      return { ...part, appId: 'mcp-tool', faceKey: mcpTool.faceKey?.(tool) ?? null, isPinned: true };
    case 'flow': {
      const { flowId } = tool;
      const isNamed = typeof flowId === 'string' && flowId !== '';
      return { ...part, appId: 'run-flow', faceKey: isNamed ? `${FLOW_FACE}${flowId}` : null, isPinned: false };
    }
  }
}

/** @param args as they were written */
export function partsOf({ tools }: Given): readonly ToolPart[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown, at) => (isTool(tool) ? [partOf(tool, at)] : []));
}

function isTool(tool: unknown): tool is Pick<ToolArgs, 'kind'> & Given {
  return typeof tool === 'object' && tool !== null && 'kind' in tool && KINDS.has(tool.kind);
}

const KINDS: ReadonlySet<unknown> = new Set<ToolArgs['kind']>(['flow', 'operation', 'mcp']);
