import type { LayerDefinition } from '@weft/engine';
import { WeftError } from '@weft/kernel';

/** Layers in order of execution: sorted by `index`, gaps allowed. All functions give a new list. */
export type LayerList = readonly LayerDefinition[];

/** The index after all others. */
export function endIndex(layers: LayerList): number {
  return (layers.at(-1)?.index ?? -1) + 1;
}

/** Inserts a layer at its index. If the index is taken, that layer and those after it move up by one. */
export function insertLayer(layers: LayerList, layer: LayerDefinition): LayerDefinition[] {
  const taken = layers.some((other) => other.index === layer.index);
  const before = layers.filter((other) => other.index < layer.index);
  const behind = layers.filter((other) => other.index >= layer.index);
  return [...before, layer, ...(taken ? behind.map((other) => ({ ...other, index: other.index + 1 })) : behind)];
}

/** Puts a changed layer in the place of the one with its id, and moves it when its index is another. */
export function replaceLayer(layers: LayerList, layer: LayerDefinition): LayerDefinition[] {
  const present = layers.find((other) => other.id === layer.id);
  if (present?.index === layer.index) return layers.map((other) => (other.id === layer.id ? layer : other));
  return insertLayer(removeLayer(layers, layer.id), layer);
}

export function removeLayer(layers: LayerList, layerId: string): LayerDefinition[] {
  return layers.filter((layer) => layer.id !== layerId);
}

/**
 * All layers in the given order, numbered from 0.
 *
 * @throws WeftError `unknown_id` for an id that is not a layer of the flow, `invalid_body` when layers are missing
 */
export function reorderLayers(layers: LayerList, layerIds: readonly string[]): LayerDefinition[] {
  const byId = new Map(layers.map((layer) => [layer.id, layer]));
  const ordered = layerIds.map((id, index) => {
    const layer = byId.get(id);
    if (!layer) {
      const message = `${id} is not a layer of this flow`;
      throw new WeftError('unknown_id', `${message}.`, { errors: [{ path: 'layerIds', code: 'unknown_id', message }] });
    }
    return { ...layer, index };
  });
  if (ordered.length !== layers.length) {
    const missing = layers.filter((layer) => !layerIds.includes(layer.id)).map((layer) => layer.ref);
    const message = `layerIds must name all layers; these are missing: ${missing.join(', ')}`;
    throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'layerIds', code: 'incomplete', message }] });
  }
  return ordered;
}
