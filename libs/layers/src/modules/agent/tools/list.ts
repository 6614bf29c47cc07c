/** The tools that a model sees, made of those that the layer lists. */
import type { JsonSchema } from '@weft/json-schema';
import { isFaceFault, NO_FACES, type Face, type Faces } from '../../../face.js';
import { LayerFailure } from '../../../layer-module.js';
import type { AgentArgs, ToolArgs } from '../shape.js';
import { visibleSchema } from './fixed.js';
import { namesOf } from './names.js';
import { partOf } from './parts.js';
import type { AgentTool } from './tool.js';

/** Of what a peer says of its tool. */
const MAX_DESCRIPTION = 4_000;
/** Methods of operations that change nothing. */
export const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** @throws LayerFailure the code of what is not there, such as `operation_not_found` */
export function toolsOf({ tools }: Pick<AgentArgs, 'tools'>, faces: Faces = NO_FACES): readonly AgentTool[] {
  const found = tools.map((tool, at) => faceOf(tool, at, faces));
  const names = namesOf(tools, found);
  return tools.map((listed, at) => {
    const face = found[at] as Face;
    const { appId } = partOf(listed, at);
    const argsSchema = mayAddHeaders(listed) ? withoutOtherHeaders(face.argsSchema) : face.argsSchema;
    return {
      ...{ at, listed, appId, face, argsSchema, name: names[at] as string },
      description: listed.description ?? (face.description || face.title).slice(0, MAX_DESCRIPTION).toWellFormed(),
      schema: visibleSchema(argsSchema, Object.keys(listed.fixed)).schema,
      readsOnly: listed.kind === 'operation' && READING.has(face.plan.method),
    };
  });
}

function faceOf(tool: ToolArgs, at: number, faces: Faces): Face {
  const { faceKey } = partOf(tool, at);
  const face = faces.get(faceKey ?? '');
  if (!face) throw new LayerFailure('tool_not_found', `What tools.${at} names is not there.`);
  if (isFaceFault(face)) throw new LayerFailure(face.code, `tools.${at}.${face.path}: ${face.message}`);
  return face;
}

/** Where all headers are fixed, there are no others. */
function mayAddHeaders({ kind, fixed }: ToolArgs): boolean {
  return kind === 'operation' && !Object.hasOwn(fixed, 'headers');
}

/**
 * Who writes a flow may send headers that the document of an operation does not list. A model may not: one could replace what is
 * fixed, written in other letters, or what Weft sends.
 */
function withoutOtherHeaders(schema: JsonSchema): JsonSchema {
  const { headers, ...others } = schema.properties as Readonly<Record<string, JsonSchema>>;
  if (!headers) return schema;
  const isEmpty = Object.keys(headers.properties ?? {}).length === 0;
  return {
    ...schema,
    properties: isEmpty ? others : { ...others, headers: { ...headers, additionalProperties: false } },
  };
}
