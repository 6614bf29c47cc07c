/** The layers of a flow as a person edits them: what is saved of them, and what is not saved yet, in words. Pure. */
import type { components } from '@weft/client';
import { differences } from '../compare/differences';
import { LAYER_FIELDS } from './layer-options';

export type Flow = components['schemas']['Flow'];
export type FlowLayer = NonNullable<Flow['layers']>[number];
export type LayerBody = NonNullable<components['schemas']['UpdateFlowBody']['layers']>[number];

export interface DraftLayer extends Pick<FlowLayer, (typeof LAYER_FIELDS)[number]> {
  /** Stays the same while the layer is edited: its id, or one that only this page knows. */
  readonly key: string;
  /** Null until the layer has been saved. */
  readonly id: string | null;
}

export type Layers = readonly DraftLayer[];

export function draftOf(flow: Pick<Flow, 'layers'>): Layers {
  return (flow.layers ?? []).map((layer) => ({ key: layer.id, id: layer.id, ...fieldsOf(layer) }));
}

export function bodyOf({ id, ...layer }: DraftLayer): LayerBody {
  return { ...(id !== null && { id }), ...fieldsOf(layer) };
}

/** The ids that the layers are saved under. One that was deleted and is back by undo is a new layer. */
export function withSavedIds(layers: Layers, saved: Layers): Layers {
  const ids = new Map(saved.map(({ key, id }) => [key, id]));
  return layers.map((layer) => {
    const id = ids.get(layer.key) ?? null;
    return id === layer.id ? layer : { ...layer, id };
  });
}

export function fieldsOf(layer: Omit<DraftLayer, 'key' | 'id'>): Omit<DraftLayer, 'key' | 'id'> {
  return Object.fromEntries(LAYER_FIELDS.map((field) => [field, layer[field]])) as Omit<DraftLayer, 'key' | 'id'>;
}

export function isSame(a: DraftLayer, b: DraftLayer): boolean {
  return a === b || differences(fieldsOf(a), fieldsOf(b)).length === 0;
}

export function isUnchanged(saved: Layers, now: Layers): boolean {
  return (
    saved.length === now.length &&
    saved.every((layer, i) => {
      const other = now[i];
      return other?.key === layer.key && isSame(layer, other);
    })
  );
}

/** The draft after it was saved: new layers have ids now, and keep their keys. */
export function asSaved(now: Layers, flow: Pick<Flow, 'layers'>): Layers {
  return draftOf(flow).map((layer, i) => ({ ...layer, key: now[i]?.key ?? layer.key }));
}

/** `2 layers changed, 1 added, another order`; empty when all is saved. */
export function unsavedText(saved: Layers, now: Layers): string {
  const before = new Map(saved.map((layer) => [layer.key, layer]));
  const after = new Set(now.map(({ key }) => key));
  const added = now.filter(({ key }) => !before.has(key)).length;
  const removed = saved.filter(({ key }) => !after.has(key)).length;
  const changed = now.filter((layer) => {
    const old = before.get(layer.key);
    return old !== undefined && !isSame(old, layer);
  }).length;
  const kept = (layers: Layers, other: { has: (key: string) => boolean }): string =>
    layers.flatMap(({ key }) => (other.has(key) ? [key] : [])).join(' ');
  const isReordered = kept(saved, after) !== kept(now, before);
  const parts = [
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} deleted`] : []),
    ...(isReordered ? ['another order'] : []),
  ];
  return parts.join(', ');
}
