/** All layers of a flow, written by one request: as one version, or as a draft that is only looked at. */
import { isDeepStrictEqual } from 'node:util';
import type { LayerDefinition } from '@weft/engine';
import { asSentence, boundedErrors, WeftError, type FieldError, type NewId } from '@weft/kernel';
import { stageFaults, validateLayer } from '@weft/layers';
import { changed, layerOptionsShape, NO_OPTIONS } from '@weft/shapes';
import { assertLayerFits, assertLayersFit } from '../flow-size.js';
import { yieldingToEventLoop } from '../yielding-to-event-loop.js';
import { LAYER_REFUSALS } from './layer-checks.js';
import type { FlowLayerBody } from './layer.requests.js';
import { withPins } from './pins.js';

type Layers = readonly LayerDefinition[];

export const ALL_LAYERS_REFUSALS = ['ref_taken', 'unknown_id', ...LAYER_REFUSALS] as const;

/**
 * The layers in the order of the request. One keeps its id where the request says it, or where its ref stays.
 *
 * @throws WeftError `unknown_id` for an id that the flow does not have, or that two layers claim; `body_too_large`
 */
export function allLayers(bodies: readonly FlowLayerBody[], present: Layers, newId: NewId): LayerDefinition[] {
  const free = new Set(present.map(({ id }) => id));
  const strange = bodies.flatMap(({ id }, position) =>
    id !== undefined && !free.delete(id) ? [strangeId(id, position)] : [],
  );
  const [first] = strange;
  if (first) throw new WeftError('unknown_id', asSentence(first.message), { errors: boundedErrors(strange) });
  const idByRef = new Map(present.filter(({ id }) => free.has(id)).map(({ ref, id }) => [ref, id]));
  const layers = bodies.map((body, index) => {
    const layer: LayerDefinition = {
      id: body.id ?? idByRef.get(body.ref) ?? newId(),
      name: body.name ?? body.ref,
      ref: body.ref,
      appId: body.appId,
      index,
      args: body.args ?? {},
      ...changed(layerOptionsShape, NO_OPTIONS, body),
    };
    // a ref that is there twice is refused later; its second layer has no claim to the id
    idByRef.delete(body.ref);
    assertLayerFits(layer);
    return layer;
  });
  const pinned = withPins(layers, present);
  assertLayersFit(pinned, present);
  return pinned;
}

/** The same, or those that the flow has where nothing differs: then nothing is written, and nothing is judged anew. */
export function rewrittenLayers(bodies: readonly FlowLayerBody[], present: Layers, newId: NewId): Layers {
  const layers = allLayers(bodies, present, newId);
  return isDeepStrictEqual(layers, present) ? present : layers;
}

/**
 * Refuses what is wrong with layers by themselves, naming all faults: what they read that is not there is only warned of.
 *
 * @throws WeftError `unknown_app`, `invalid_expression`, `invalid_args`, `invalid_options`, `ref_taken`; paths name layers by
 * their position
 */
export async function assertAllLayers(layers: Layers): Promise<void> {
  const faults: FieldError[] = takenRefs(layers).map(({ position, fault }) => at(position, fault));
  for (const { path, ...fault } of stageFaults(layers)) {
    const position = layers.findIndex(({ ref }) => path.startsWith(`layers.${ref}.`));
    faults.push(at(Math.max(0, position), { ...fault, path: 'stage', code: 'invalid_options' }));
  }
  let position = 0;
  for await (const layer of yieldingToEventLoop(layers)) {
    for (const fault of validateLayer(layer)) faults.push(at(position, fault));
    position += 1;
  }
  const code = (['ref_taken', ...LAYER_REFUSALS] as const).find((each) => faults.some((fault) => fault.code === each));
  const first = faults.find((fault) => fault.code === code);
  if (code && first)
    throw new WeftError(code, asSentence(`${first.path}: ${first.message}`), { errors: boundedErrors(faults) });
}

/** Layers whose ref an earlier layer has. */
export function takenRefs(layers: Layers): readonly { readonly position: number; readonly fault: FieldError }[] {
  const seen = new Set<string>();
  return layers.flatMap(({ ref }, position) => {
    if (!seen.has(ref)) {
      seen.add(ref);
      return [];
    }
    const message = `another layer of this flow has the ref "${ref}"`;
    return [{ position, fault: { path: 'ref', code: 'ref_taken', message } }];
  });
}

function at(position: number, fault: FieldError): FieldError {
  return { ...fault, path: `layers.${position}.${fault.path}` };
}

function strangeId(id: string, position: number): FieldError {
  const message = `${id} is not a layer of this flow, or stands for two`;
  return { path: `layers.${position}.id`, code: 'unknown_id', message };
}
