/**
 * The differences between two states of a flow, for review. Layers are matched by id, else by ref, and named by ref, so that
 * a path does not depend on the layer's position; a new order is a change of its own. Pure.
 */
import type { FlowChange } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import type { FlowDocument } from '@weft/records';
import { LAYER_FIELDS, shownSettings } from '@weft/shapes';
import { compareValues } from './compare-values.js';

export type ComparedFlow = Pick<
  FlowDocument,
  | 'name'
  | 'enabled'
  | 'category'
  | 'description'
  | 'isBlueprint'
  | 'restricted'
  | 'groupId'
  | 'when'
  | 'settings'
  | 'argsSchema'
  | 'blueprintVars'
  | 'layers'
>;

const FIELDS = [
  'name',
  'enabled',
  'category',
  'description',
  'isBlueprint',
  'restricted',
  'groupId',
  'when',
  'settings',
  'argsSchema',
  'blueprintVars',
] as const satisfies readonly (keyof ComparedFlow)[];

/** First the flow's own fields, then layers in the order of `after`, then removed layers, then the order. */
export function diffFlows(before: ComparedFlow, after: ComparedFlow): FlowChange[] {
  const changes: FlowChange[] = [];
  const fieldOf = (flow: ComparedFlow, field: (typeof FIELDS)[number]) =>
    field === 'settings' ? shownSettings(flow.settings) : (flow[field] ?? null);
  for (const field of FIELDS) compareValues(field, fieldOf(before, field), fieldOf(after, field), changes);
  const pairs = pairLayers(before.layers, after.layers);
  for (const layer of after.layers) {
    const path = `layers.${layer.ref}`;
    const was = pairs.get(layer);
    if (!was) changes.push({ path, before: null, after: shown(layer) });
    else for (const field of LAYER_FIELDS) compareValues(`${path}.${field}`, was[field], layer[field], changes);
  }
  const kept = new Set(pairs.values());
  for (const layer of before.layers) {
    if (!kept.has(layer)) changes.push({ path: `layers.${layer.ref}`, before: shown(layer), after: null });
  }
  return changes.concat(orderChange(before.layers, after.layers, pairs));
}

type Pairs = ReadonlyMap<LayerDefinition, LayerDefinition>;

/** After → before: the same id, else the same ref. */
function pairLayers(before: readonly LayerDefinition[], after: readonly LayerDefinition[]): Pairs {
  const byId = new Map(before.map((layer) => [layer.id, layer]));
  const pairs = new Map<LayerDefinition, LayerDefinition>();
  for (const layer of after) {
    const same = byId.get(layer.id);
    if (same) pairs.set(layer, same);
  }
  const taken = new Set(pairs.values());
  const byRef = new Map(before.filter((layer) => !taken.has(layer)).map((layer) => [layer.ref, layer]));
  for (const layer of after) {
    const same = byRef.get(layer.ref);
    if (same && !pairs.has(layer)) pairs.set(layer, same);
  }
  return pairs;
}

/** Only when layers that are on both sides changed places: one that came or went moves nothing. */
function orderChange(
  before: readonly LayerDefinition[],
  after: readonly LayerDefinition[],
  pairs: Pairs,
): FlowChange[] {
  const now = after.filter((layer) => pairs.has(layer)).map((layer) => pairs.get(layer));
  const kept = new Set(now);
  const then = before.filter((layer) => kept.has(layer));
  if (then.every((layer, position) => layer === now[position])) return [];
  return [{ path: 'layers', before: before.map(({ ref }) => ref), after: after.map(({ ref }) => ref) }];
}

/** An added or removed layer, without the fields that only the store needs. */
function shown(layer: LayerDefinition): Record<string, unknown> {
  return Object.fromEntries(LAYER_FIELDS.map((field) => [field, layer[field]]));
}
