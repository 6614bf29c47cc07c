import type { LayerDefinition } from '@weft/engine';
import { namedFaces, withPin } from '@weft/layers';

/** The layers with the states that they were pinned to, where they name the same as before and no state themselves. */
export function withPins(layers: readonly LayerDefinition[], present: readonly LayerDefinition[]): LayerDefinition[] {
  const known = new Map(present.map((layer) => [layer.id, layer]));
  return layers.map((layer) => {
    const before = known.get(layer.id);
    const pins = before ? namedFaces(before) : [];
    return namedFaces(layer).reduce((pinned, named) => {
      if (named.args.digest !== undefined) return pinned;
      const state = pins.find(({ faceKey }) => faceKey.startsWith(`${named.faceKey}@`));
      return state ? { ...pinned, args: withPin(pinned.args, named, state.args.digest) } : pinned;
    }, layer);
  });
}
