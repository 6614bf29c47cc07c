/** Where layers stand: moving, stages, copies. Stages stay whole, because the API refuses one that is split. Pure. */
import type { DraftLayer, Layers } from './draft';

/** Layers that run at once, or one that runs alone. */
export interface Row<Layer> {
  readonly stage: string | null;
  readonly layers: readonly Layer[];
}

/** Neighbours with the same stage in one row. */
export function rowsOf<Layer extends Pick<DraftLayer, 'stage'>>(layers: readonly Layer[]): Row<Layer>[] {
  const rows: { stage: string | null; layers: Layer[] }[] = [];
  for (const layer of layers) {
    const last = rows.at(-1);
    if (last && layer.stage !== null && last.stage === layer.stage) last.layers.push(layer);
    else rows.push({ stage: layer.stage, layers: [layer] });
  }
  return rows;
}

/**
 * Moves a layer to a position among the others. Between two layers of a stage it joins them; away from its stage it runs alone.
 *
 * @param position of the layer after the move
 */
export function movedTo(layers: Layers, key: string, position: number): Layers {
  const from = layers.findIndex((layer) => layer.key === key);
  const layer = layers[from];
  const to = Math.max(0, Math.min(position, layers.length - 1));
  if (!layer || from === to) return layers;
  const others = layers.filter((each) => each !== layer);
  const [above, below] = [others[to - 1], others[to]];
  const around = above && above.stage === below?.stage ? above.stage : null;
  const isBeside = layer.stage !== null && (above?.stage === layer.stage || below?.stage === layer.stage);
  const hasOthers = layer.stage !== null && others.some(({ stage }) => stage === layer.stage);
  const stage = around ?? (isBeside || !hasOthers ? layer.stage : null);
  return [...others.slice(0, to), { ...layer, stage }, ...others.slice(to)];
}

/** True where layers that are in both are in another order or stage. */
export function isMoved(before: Layers, after: Layers): boolean {
  const [was, is] = [before, after].map((layers, i, both) => {
    const others = new Set(both[1 - i]?.map(({ key }) => key));
    return layers.filter(({ key }) => others.has(key));
  });
  return was?.some(({ key, stage }, i) => key !== is?.[i]?.key || stage !== is[i].stage) ?? false;
}

export function movedBy(layers: Layers, key: string, by: number): Layers {
  const from = layers.findIndex((layer) => layer.key === key);
  return from === -1 ? layers : movedTo(layers, key, from + by);
}

/** Lets a layer run at the same time as the one before it. */
export function joined(layers: Layers, key: string): Layers {
  const at = layers.findIndex((layer) => layer.key === key);
  const above = layers[at - 1];
  const layer = layers[at];
  if (!above || !layer) return layers;
  const stage =
    above.stage ??
    freeName(
      'stage',
      layers.map((each) => each.stage ?? ''),
    );
  const partners = layer.stage === null ? [layer] : layers.filter((each) => each.stage === layer.stage);
  return layers.map((each) => (each === above || partners.includes(each) ? { ...each, stage } : each));
}

/** Lets a layer run alone: it leaves its stage downwards, past those that stay in it. */
export function alone(layers: Layers, key: string): Layers {
  const layer = layers.find((each) => each.key === key);
  if (layer?.stage == null) return layers;
  const last = layers.findLastIndex(({ stage }) => stage === layer.stage);
  const others = layers.filter((each) => each !== layer);
  return [...others.slice(0, last), { ...layer, stage: null }, ...others.slice(last)];
}

export function withCopy(layers: Layers, key: string, newKey: string): Layers {
  const at = layers.findIndex((layer) => layer.key === key);
  const layer = layers[at];
  if (!layer) return layers;
  const ref = freeRef(layer.ref, layers);
  const copy = { ...layer, key: newKey, id: null, ref, name: layer.name === layer.ref ? ref : `${layer.name} (copy)` };
  return [...layers.slice(0, at + 1), copy, ...layers.slice(at + 1)];
}

/** `fetch`, `fetch_2`, `fetch_3` … Without a hyphen: where something is computed, it would be a minus. */
export function freeRef(wish: string, layers: Layers): string {
  const stem = wish.replace(/[-_]\d+$/, '');
  return freeName(
    stem,
    layers.map(({ ref }) => ref),
  );
}

function freeName(stem: string, taken: readonly string[]): string {
  let name = stem;
  for (let n = 2; taken.includes(name); n += 1) name = `${stem}_${n}`;
  return name;
}
