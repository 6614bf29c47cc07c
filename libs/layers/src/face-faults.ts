/** What is certainly wrong with the arguments of a layer by what they name. Pure. */
import { valueFaults } from '@weft/json-schema';
import type { FieldError } from '@weft/kernel';
import { isFaceFault, type Face, type FaceFault } from './face.js';
import { readLayer, type LayerTexts } from './layer-reading.js';
import { moduleOf } from './registry.js';

const CODE = 'invalid_args';

/** Codes `invalid_args`; paths from the layer's root. Values of expressions are judged when the layer runs. */
export function faceFaults(layer: LayerTexts, found: Face | FaceFault): FieldError[] {
  if (isFaceFault(found)) return [{ path: `args.${found.path}`, code: CODE, message: found.message }];
  const { expressionPaths } = readLayer(layer);
  // the expressions have faults of their own
  if (expressionPaths === null) return [];
  const { args } = layer;
  const { input = {} } = args as { readonly input?: unknown };
  const faults = valueFaults(found.argsSchema, input, { root: 'input', isForeign: true });
  const certain = faults.filter(
    ({ path }) => !expressionPaths.some((each) => isWithin(each, path) || isWithin(path, each)),
  );
  const fault = moduleOf(layer.appId)?.inspect?.(args, found);
  return [...certain, ...(fault ? [fault] : [])].map(({ path, message }) => ({
    path: `args.${path}`,
    code: CODE,
    message,
  }));
}

/** Whether a path is another one or leads on from it. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}
