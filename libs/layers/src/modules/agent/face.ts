/** What an agent is besides its work: what it names, and what is certainly wrong with its arguments. */
import { schemaFaults, type JsonSchema } from '@weft/json-schema';
import type { LayerModule } from '../../layer-module.js';
import { faultOfApprove } from './tools/approve.js';
import { visibleSchema } from './tools/fixed.js';
import { OWN_TOOLS } from './tools/names.js';
import { partsOf } from './tools/parts.js';

type Face = Required<Pick<LayerModule, 'programs' | 'partsOf' | 'inspectPart' | 'inspect'>>;
type Fields = Readonly<Record<string, unknown>>;
interface Fault {
  readonly path: string;
  readonly message: string;
}

/** What names a tool, and decides on its calls, is never built from data. */
const OF_TOOLS = ['kind', 'name', 'approve', 'flowId', 'api', 'operation', 'digest', 'tool', 'server'];

export const agentFace: Face = {
  programs: ['outputSchema', ...OF_TOOLS.map((name) => `tools.*.${name}`)],

  partsOf,

  inspectPart({ args: { fixed } }, { argsSchema }) {
    if (typeof fixed !== 'object' || fixed === null) return [];
    return visibleSchema(argsSchema, Object.keys(fixed)).unknown.map((path) => ({
      path: `fixed.${path}`,
      message: 'is not an argument of the tool: the model would still decide what is meant',
    }));
  },

  inspect({ tools, outputSchema }) {
    return schemaFault(outputSchema) ?? nameFault(tools) ?? approveFault(tools);
  },
};

function schemaFault(schema: unknown): Fault | null {
  if (typeof schema !== 'object' || schema === null) return null;
  if ((schema as Fields).type !== 'object') return { path: 'outputSchema.type', message: 'must be "object"' };
  const [fault] = schemaFaults(schema as JsonSchema);
  return fault ? { path: fault.path.replace(/^argsSchema/, 'outputSchema'), message: fault.message } : null;
}

function nameFault(tools: unknown): Fault | null {
  const taken = new Set(OWN_TOOLS);
  for (const [i, { name }] of fieldsIn(tools).entries()) {
    if (typeof name !== 'string') continue;
    const why = OWN_TOOLS.includes(name) ? 'is the name of a tool that Weft gives' : 'is the name of another tool, too';
    if (taken.has(name)) return { path: `tools.${i}.name`, message: why };
    taken.add(name);
  }
  return null;
}

function approveFault(tools: unknown): Fault | null {
  for (const [i, { approve }] of fieldsIn(tools).entries()) {
    const message = typeof approve === 'string' ? faultOfApprove(approve) : null;
    if (message !== null) return { path: `tools.${i}.approve`, message };
  }
  return null;
}

function fieldsIn(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) return [];
  return list.map((each: unknown) => (typeof each === 'object' && each !== null ? (each as Fields) : {}));
}
