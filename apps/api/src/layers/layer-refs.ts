/**
 * Whether layers make sense among each other: that what they read is there by then. It is only warned of, because a flow is
 * built in any order; a flow whose references lead nowhere cannot be enabled.
 */
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { nearestNames } from '@weft/expressions';
import { hintsOf, readLayer } from '@weft/layers';

/** References that lead nowhere: what a flow cannot be enabled with. */
const UNRESOLVED: readonly string[] = ['own_ref', 'later_ref', 'same_stage_ref', 'unknown_ref'];

/** What is doubtful about each layer, by layer id. Layers without a warning are left out. */
export function warningsOf(layers: readonly LayerDefinition[]): ReadonlyMap<string, readonly Warning[]> {
  const all = new Map(layers.map((layer, position) => [layer.ref, position]));
  const warnings = new Map<string, Warning[]>();
  layers.forEach((layer, position) => {
    const reading = readLayer(layer);
    const found = [
      ...reading.refs.flatMap(({ path, ref }) => readWarning(path, ref, position, layers, all) ?? []),
      ...reading.steers.flatMap(({ path, ref }) => steerWarning(path, ref, position, layers, all) ?? []),
      ...hintsOf(layer, reading),
    ];
    if (found.length > 0) warnings.set(layer.id, found);
  });
  return warnings;
}

/** Whether a flow with this warning cannot be enabled. */
export function isUnresolved({ code }: Warning): boolean {
  return UNRESOLVED.includes(code);
}

type Positions = ReadonlyMap<string, number>;

function readWarning(
  path: string,
  ref: string,
  position: number,
  layers: readonly LayerDefinition[],
  all: Positions,
): Warning | undefined {
  const at = all.get(ref);
  if (at === undefined) return unknown(path, ref, all);
  if (at === position) return { path, code: 'own_ref', message: `a layer cannot read its own output (${ref})` };
  if (sameStage(layers[at], layers[position])) return beside(path, ref);
  return at < position ? undefined : { path, code: 'later_ref', message: `the layer "${ref}" comes later` };
}

function steerWarning(
  path: string,
  ref: string,
  position: number,
  layers: readonly LayerDefinition[],
  all: Positions,
): Warning | undefined {
  const at = all.get(ref);
  if (at === undefined) return unknown(path, ref, all);
  if (at !== position && sameStage(layers[at], layers[position])) return beside(path, ref);
  if (at > position) return undefined;
  return { path, code: 'earlier_ref', message: `the layer "${ref}" has ended by then: this decides nothing` };
}

function sameStage(one: LayerDefinition | undefined, other: LayerDefinition | undefined): boolean {
  return one !== undefined && one.stage !== null && one.stage === other?.stage;
}

function beside(path: string, ref: string): Warning {
  return { path, code: 'same_stage_ref', message: `the layer "${ref}" runs at the same time` };
}

function unknown(path: string, ref: string, all: Positions): Warning {
  const near = nearestNames(ref, [...all.keys()]);
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
  return { path, code: 'unknown_ref', message: `no layer has the ref "${ref}"${hint}` };
}
