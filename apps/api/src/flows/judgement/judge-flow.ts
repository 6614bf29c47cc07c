/**
 * Finds the faults that keep a flow from running, and warnings about it. It takes time for each layer, so it yields to the
 * event loop in between, and the result is stored with the flow. Pure.
 */
import { conditionFaults } from '@weft/runs';
import type { LayerDefinition } from '@weft/engine';
import type { FieldError } from '@weft/kernel';
import { readLayer, stageFaults, validateLayer } from '@weft/layers';
import type { FlowDocument } from '@weft/records';
import { blueprintVarsOf, missingVar, unsetVars } from '../blueprints/blueprint-vars.js';
import { LEFT_OUT } from '../documents/fill-left-out.js';
import { leftOutPlaces } from '../documents/private-values.js';
import { takenRefs } from '../layers/all-layers.js';
import { yieldingToEventLoop } from '../yielding-to-event-loop.js';
import { FaultCollector } from './fault-collector.js';
import { isUnresolved, LayerWarnings } from './layer-warnings.js';

/** What it is judged by: a flow that is the same in these is judged alike. */
export const JUDGED_FIELDS = ['layers', 'when', 'isBlueprint', 'blueprintVars'] as const;
export type JudgedFields = Pick<FlowDocument, (typeof JUDGED_FIELDS)[number]>;

export interface FlowFindings {
  /** Faults that prevent enabling the flow; paths name layers by ref. */
  readonly errors: FaultCollector;
  /** By layer id. */
  readonly warnings: ReadonlyMap<string, FaultCollector>;
  /** How much it was to parse, of all layers together. */
  readonly richChars: number;
}

const MAX_OF_LAYER = 20;
const MAX_OF_FLOW = 200;

export async function judgeFlow(flow: JudgedFields): Promise<FlowFindings> {
  const { layers, when, isBlueprint, blueprintVars } = flow;
  const errors = new FaultCollector();
  for (const fault of conditionFaults(when)) errors.add(fault);
  for (const { position, fault } of takenRefs(layers)) errors.add(inLayer(layers[position] as LayerDefinition, fault));
  const richChars = await judgeEach(layers, errors);
  for (const fault of stageFaults(layers)) errors.add(fault);
  const warnings = await warnOfEach(layers, errors);
  if (!isBlueprint) {
    for (const [name, value] of Object.entries(blueprintVars ?? {})) {
      if (value === LEFT_OUT) errors.add(leftOut(`blueprintVars.${name}`));
    }
    for (const variable of unsetVars(await blueprintVarsOf(flow), blueprintVars ?? {})) {
      const [ref] = variable.refs;
      errors.add(missingVar(variable, ref === undefined ? 'when' : `layers.${ref}`));
    }
  }
  return { errors, warnings, richChars };
}

async function judgeEach(layers: readonly LayerDefinition[], errors: FaultCollector): Promise<number> {
  let richChars = 0;
  for await (const layer of yieldingToEventLoop(layers)) {
    for (const fault of validateLayer(layer)) errors.add(inLayer(layer, fault));
    // names of fields may be long: a path for each of many places would fill the memory
    for (const place of leftOutPlaces(layer)) {
      errors.addLate(LEFT_OUT_CODE, () => inLayer(layer, leftOut(`args.${place.join('.')}`)));
    }
    richChars += readLayer(layer).richChars;
  }
  return richChars;
}

async function warnOfEach(
  layers: readonly LayerDefinition[],
  errors: FaultCollector,
): Promise<ReadonlyMap<string, FaultCollector>> {
  const doubts = new LayerWarnings(layers);
  const warnings = new Map<string, FaultCollector>();
  let position = 0;
  let kept = 0;
  for await (const layer of yieldingToEventLoop(layers)) {
    const found = new FaultCollector(Math.min(MAX_OF_LAYER, MAX_OF_FLOW - kept));
    doubts.of(position, readLayer(layer), (warning) => {
      found.add(warning);
      if (isUnresolved(warning)) errors.add(inLayer(layer, warning));
    });
    if (found.found > 0) warnings.set(layer.id, found);
    kept += found.kept.length;
    position += 1;
  }
  return warnings;
}

export function inLayer({ ref }: Pick<LayerDefinition, 'ref'>, fault: FieldError): FieldError {
  return { ...fault, path: `layers.${ref}.${fault.path}` };
}

const LEFT_OUT_CODE = 'left_out';

function leftOut(path: string): FieldError {
  const message = 'was left out of the document that the flow was imported from: fill it in';
  return { path, code: LEFT_OUT_CODE, message };
}
