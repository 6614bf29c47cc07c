import { conditionFaults } from '@weft/acceptance';
/** Everything for which a flow cannot run as it is written. Paths name layers by ref. Pure. */
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import type { FieldError } from '@weft/kernel';
import { stageFaults, validateLayer } from '@weft/layers';
import type { FlowDocument } from '@weft/persistence';
import { isUnresolved, warningsOf } from '../layers/layer-refs.js';
import { blueprintVarsOf, missingVar, unsetVars } from './blueprints/blueprint-vars.js';
import { leftOutPaths } from './documents/private-values.js';

export function definitionFaults(flow: FlowDocument): FieldError[] {
  const { layers, when, isBlueprint } = flow;
  return [
    ...conditionFaults(when),
    ...layers.flatMap((layer) => inLayer(layer, [...validateLayer(layer), ...leftOut(layer)])),
    ...stageFaults(layers),
    ...warningsByRef(layers).filter(isUnresolved),
    ...(isBlueprint ? [] : unsetVars(blueprintVarsOf(flow), flow.blueprintVars ?? {}).map(unset)),
  ];
}

/** What runs, and may still not be what was meant. */
export function doubtsOf(layers: readonly LayerDefinition[]): Warning[] {
  return warningsByRef(layers).filter((warning) => !isUnresolved(warning));
}

function warningsByRef(layers: readonly LayerDefinition[]): Warning[] {
  const warnings = warningsOf(layers);
  return layers.flatMap((layer) => inLayer(layer, warnings.get(layer.id) ?? []));
}

function inLayer({ ref }: LayerDefinition, faults: readonly FieldError[]): FieldError[] {
  return faults.map((fault) => ({ ...fault, path: `layers.${ref}.${fault.path}` }));
}

function leftOut(layer: LayerDefinition): FieldError[] {
  const message = 'was left out of the document that the flow was imported from: fill it in';
  return leftOutPaths(layer).map((path) => ({ path: `args.${path}`, code: 'left_out', message }));
}

function unset(variable: Parameters<typeof missingVar>[0]): FieldError {
  const [ref] = variable.refs;
  return missingVar(variable, ref === undefined ? 'when' : `layers.${ref}`);
}
