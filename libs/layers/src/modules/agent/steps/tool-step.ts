/** A call of a listed tool, as a step: of a flow a play that is waited for, else a call of the module. */
import type { LayerContext, LayerFailure, Output, PlayEnd } from '../../../layer-module.js';
import type { Step } from '../../../stepping-module.js';
import { mcpTool } from '../../mcp-tool/mcp-tool.layer.js';
import type { McpToolArgs } from '../../mcp-tool/args.js';
import { operation } from '../../operation/operation.layer.js';
import type { OperationArgs } from '../../operation/args.js';
import type { ToolArgs } from '../shape.js';
import { argsOfCall } from '../tools/call.js';
import type { AgentTool } from '../tools/tool.js';
import { resultIn } from './recorded.js';

interface Shown {
  readonly percent: number;
  readonly status: string;
}

/** @param call position in the calls of the answer @param input with `fixed` put in */
export function callOfTool(
  tool: AgentTool,
  call: number,
  input: Readonly<Record<string, unknown>>,
  shown: Shown,
): Step {
  const { name, listed } = tool;
  const of = { call, tool: name };
  const asked = { request: { listed, input }, asks: { tool: name, ...called(listed), input } };
  const isAudited = !tool.readsOnly;
  if (listed.kind === 'flow')
    return {
      does: 'start',
      name: { kind: 'child', tool: name },
      isAudited,
      ...asked,
      ...shown,
      play: { flowId: listed.flowId, args: input },
      ended: (end) => ({ kind: 'child', ...of, ...resultOf(end), playId: end.playId, ms: 0 }),
      failed: (failure) => ({ kind: 'child', ...of, ...failedResult(failure), ms: 0 }),
      recorded: (end) => resultIn(end, of),
    };
  return {
    does: 'call',
    name: { kind: 'tool', tool: name },
    isAudited,
    ...asked,
    ...shown,
    ...(listed.onInterrupted === 'fail' && { isOnce: true }),
    run: async (context) => {
      const since = performance.now();
      const result = await run(tool, input, context);
      return { kind: 'tool', ...of, ok: true, result, ms: Math.round(performance.now() - since) };
    },
    failed: (failure) => ({ kind: 'tool', ...of, ...failedResult(failure), ms: 0 }),
    recorded: (end) => resultIn(end, of),
  };
}

/** What the call is made with, besides its input. */
function called(listed: ToolArgs): object {
  const { kind: _k, name: _n, description: _d, approve: _a, fixed: _f, max: _m, parallel: _p, ...of } = listed;
  return of;
}

async function run(tool: AgentTool, input: Readonly<Record<string, unknown>>, context: LayerContext): Promise<Output> {
  const args = argsOfCall(tool, input);
  return tool.appId === 'operation'
    ? operation.run(args as OperationArgs, context)
    : mcpTool.run(args as McpToolArgs, context);
}

function resultOf({ state, out, error }: PlayEnd): Output {
  if (state !== 'FAIL') return { ok: true, result: out ?? null };
  return { ok: false, result: { error: error ?? { code: 'failed', message: 'The play failed.' } } };
}

/** A failed call is a result that the model reads. */
function failedResult({ code, message }: LayerFailure): Output {
  return { ok: false, result: { error: { code, message } } };
}
