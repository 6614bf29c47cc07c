import type { LayerDefinition } from '@weft/engine';
import { faceKeyOf } from '@weft/layers';

/** The layers with the states that they were pinned to, where they name the same as before and no state themselves. */
export function withPins(layers: readonly LayerDefinition[], present: readonly LayerDefinition[]): LayerDefinition[] {
  const known = new Map(present.map((layer) => [layer.id, layer]));
  return layers.map((layer) => {
    const before = known.get(layer.id);
    const digest = before?.args.digest;
    if (digest === undefined || layer.args.digest !== undefined || !faceKeyOf(layer)) return layer;
    const pinned = { ...layer, args: { ...layer.args, digest } };
    return faceKeyOf(pinned) === faceKeyOf(before as LayerDefinition) ? pinned : layer;
  });
}
