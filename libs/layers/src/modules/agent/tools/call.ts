/** Judges the calls that a model asks for, and makes the arguments of the modules that make them. */
import { nearestNames } from '@weft/expressions';
import { valueFaults } from '@weft/json-schema';
import { LayerFailure } from '../../../layer-module.js';
import { mcpToolArgs } from '../../mcp-tool/args.js';
import { mcpTool } from '../../mcp-tool/mcp-tool.layer.js';
import { operationArgs } from '../../operation/args.js';
import { listedFaults } from '../../operation/listed-faults.js';
import { operation } from '../../operation/operation.layer.js';
import { argumentsIn } from '../provider/dialect.js';
import type { ModelCall } from '../provider/port.js';
import { withFixed } from './fixed.js';
import type { AgentTool, CheckedCall, RefusedCall } from './tool.js';

export { asksFor } from './approve.js';

/** The arguments are judged as the tool takes them: with the values that Weft puts in. */
export function checkCall(
  tools: readonly AgentTool[],
  { name, arguments: text }: ModelCall,
): CheckedCall | RefusedCall {
  const tool = tools.find((each) => each.name === name);
  if (!tool) return { refused: unknownTool(name, tools) };
  const given = argumentsIn(text.trim() === '' ? '{}' : text);
  if (!given) return { refused: 'The arguments are not a JSON object: nothing was called. Write them as one.' };
  const input = withFixed(given, tool.listed.fixed);
  if (!input) return { refused: `The arguments do not fit: ${objectsOf(tool)} must be objects.` };
  const faults = valueFaults(tool.argsSchema, input, { ...OF_CALL, near: unfixedNames(tool) });
  if (faults.length > 0) return { refused: `The arguments do not fit: ${listedFaults(faults)}.` };
  try {
    argsOfCall(tool, input);
    return { tool, input };
  } catch (error) {
    if (!(error instanceof LayerFailure) || error.code !== 'invalid_args') throw error;
    return { refused: `The arguments do not fit: ${error.message}` };
  }
}

const OF_CALL = { root: 'arguments', isForeign: true, isWhole: true } as const;

/** A model does not learn what is fixed. */
function unfixedNames({ listed: { fixed } }: AgentTool): typeof nearestNames {
  const own = new Set(Object.keys(fixed).map((path) => path.split('.').at(-1)));
  return (name, names) =>
    nearestNames(
      name,
      [...names].filter((each) => !own.has(each)),
    );
}

/**
 * The arguments of the module of a tool, bound to what they name: what its `run` takes.
 *
 * @param input as `checkCall` has given it
 * @throws LayerFailure `invalid_args`
 */
export function argsOfCall({ listed, face }: AgentTool, input: Readonly<Record<string, unknown>>): unknown {
  switch (listed.kind) {
    case 'flow':
      return { flowId: listed.flowId, args: input, wait: true };
    case 'operation': {
      const { api, operation: name, digest, server, auth } = listed;
      return operation.bind?.(operationArgs.parse({ api, operation: name, digest, server, auth, input }), face);
    }
    case 'mcp': {
      const { server, tool, digest } = listed;
      return mcpTool.bind?.(mcpToolArgs.parse({ server, tool, digest, input }), face);
    }
  }
}

function unknownTool(name: string, tools: readonly AgentTool[]): string {
  const names = tools.map((tool) => tool.name);
  const near = nearestNames(name, names);
  const known = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ` There are ${names.join(', ')}.`;
  return `There is no tool "${name.slice(0, 64)}".${names.length === 0 ? '' : known}`;
}

function objectsOf({ listed }: AgentTool): string {
  const paths = Object.keys(listed.fixed).flatMap((path) =>
    path
      .split('.')
      .slice(0, -1)
      .map((_name, i, all) => all.slice(0, i + 1).join('.')),
  );
  return [...new Set(paths)].map((path) => `arguments.${path}`).join(', ');
}
