/** What is certainly wrong with the arguments of a layer by what they name. Pure. */
import { valueFaults } from '@weft/json-schema';
import type { FieldError } from '@weft/kernel';
import { isFaceFault, type Face, type FaceFault } from './face.js';
import { readLayer, type LayerTexts } from './layer-reading.js';
import type { NamedFace } from './named-faces.js';
import { moduleOf } from './registry.js';

interface Fault {
  readonly path: string;
  readonly message: string;
}

/**
 * Codes `invalid_args`; paths from the layer's root. Values of expressions are judged when the layer runs.
 *
 * @param named what the layer, or a part of its arguments, names
 */
export function faceFaults(layer: LayerTexts, named: NamedFace, found: Face | FaceFault): FieldError[] {
  const root = named.path === '' ? 'args' : `args.${named.path}`;
  return faultsOf(layer, named, found).map(({ path, message }) => ({
    path: `${root}.${path}`,
    code: 'invalid_args',
    message,
  }));
}

function faultsOf(layer: LayerTexts, named: NamedFace, found: Face | FaceFault): readonly Fault[] {
  // a flow may be made, deleted and restored at any time: that one is not there is a warning
  if (isFaceFault(found)) return named.isPinned ? [found] : [];
  const { expressionPaths } = readLayer(layer);
  // the expressions have faults of their own
  if (expressionPaths === null) return [];
  const isPart = named.path !== '';
  // what a part is called with is known when it is called
  const certain = isPart
    ? (moduleOf(layer.appId)?.inspectPart?.(named, found) ?? [])
    : inputFaults(layer, found, expressionPaths);
  const fault = moduleOf(named.appId)?.inspect?.(named.args, found);
  return [...certain, ...(fault ? [fault] : [])];
}

function inputFaults({ args }: LayerTexts, { argsSchema }: Face, expressionPaths: readonly string[]): readonly Fault[] {
  const { input = {} } = args as { readonly input?: unknown };
  return valueFaults(argsSchema, input, { root: 'input', isForeign: true }).filter(
    ({ path }) => !expressionPaths.some((each) => isWithin(each, path) || isWithin(path, each)),
  );
}

/** Whether a path is another one or leads on from it. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}
