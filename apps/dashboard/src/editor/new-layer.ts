import type { DraftLayer, Layers } from './draft';
import type { Args } from './form-model';
import { UNUSED } from './layer-options';
import { freeRef } from './order';

/** @param name until somebody gives it one: what its module does */
export function newLayer(key: string, ref: string, appId: string, name: string, args: Args): DraftLayer {
  return { ...UNUSED, key, id: null, ref, name, appId, args: { ...args } } as DraftLayer;
}

/** `web-request` → `request`: short enough to be read in expressions. */
export function refFor(appId: string): string {
  return appId.split('-').at(-1) ?? appId;
}

const MOST_REF_CHARS = 40;

/**
 * The layer with another name, and its ref made of that: while it is not saved, nobody has typed a ref, and no other layer
 * mentions it.
 */
export function renamed(layer: DraftLayer, name: string, layers: Layers): DraftLayer {
  const others = layers.filter(({ key }) => key !== layer.key);
  const isMade = [refFor(layer.appId), refOfName(layer.name)].includes(layer.ref.replace(/_\d+$/, ''));
  const wish = refOfName(name) || refFor(layer.appId);
  if (layer.id !== null || !isMade || mentions(others, layer.ref)) return { ...layer, name };
  return { ...layer, name, ref: freeRef(wish, others) };
}

/** `Push each order` → `push_each_order`. Empty where no letter of the name can be in one. */
export function refOfName(name: string): string {
  const words = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const text = words.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^[_0-9]+/g, '');
  return text.slice(0, MOST_REF_CHARS).replace(/(_\d+)*_*$/, '');
}

function mentions(layers: Layers, ref: string): boolean {
  return layers.some((layer) => JSON.stringify(layer).includes(`.${ref}`));
}
