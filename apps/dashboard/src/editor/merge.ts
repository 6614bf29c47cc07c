/** Two people changed one flow: what each of them did, layer by layer, and one flow of both. Pure. */
import { isSame, type DraftLayer, type Layers } from './draft';

export type Side = 'mine' | 'theirs';

/** A layer that both changed, each otherwise. Null where it was deleted, or was not there. */
export interface Conflict {
  readonly name: string;
  readonly base: DraftLayer | null;
  readonly mine: DraftLayer | null;
  readonly theirs: DraftLayer | null;
}

export interface Comparison {
  readonly conflicts: readonly Conflict[];
  /** Refs of layers that only they changed, added or deleted: taken over as they are. */
  readonly theirsAlone: readonly string[];
  /** Who changed the order of the layers; null: nobody. */
  readonly order: Side | 'both' | null;
}

interface Versions {
  readonly base: Layers;
  readonly mine: Layers;
  readonly theirs: Layers;
}

export function compared(versions: Versions): Comparison {
  const conflicts: Conflict[] = [];
  const theirsAlone: string[] = [];
  for (const [name, each] of byName(versions)) {
    const { base, mine, theirs } = each;
    if (isAlike(base, theirs) || isAlike(mine, theirs)) continue;
    if (isAlike(base, mine)) theirsAlone.push((theirs ?? base)?.ref ?? name);
    else conflicts.push({ name, ...each });
  }
  return { conflicts, theirsAlone, order: orderOf(versions) };
}

/**
 * One flow of both. The order is mine if I changed it, otherwise theirs.
 *
 * @param choices by the name of the conflict; mine without one
 */
export function merged(versions: Versions, choices: ReadonlyMap<string, Side>): Layers {
  const { base, mine, theirs } = versions;
  const all = byName(versions);
  const nameOf = namesIn(versions);
  const [lead, other] = isReordered(base, mine) ? [mine, theirs] : [theirs, mine];
  const names = lead.map(nameOf);
  other.forEach((layer, i) => {
    const name = nameOf(layer);
    if (names.includes(name)) return;
    const before = other.slice(0, i).findLast((each) => names.includes(nameOf(each)));
    names.splice(before ? names.indexOf(nameOf(before)) + 1 : 0, 0, name);
  });
  return names.flatMap((name) => {
    const each = all.get(name);
    const chosen = each && pick(each, choices.get(name) ?? 'mine');
    // a layer that they deleted is a new one when it is kept
    return chosen ? [{ ...chosen, key: each.mine?.key ?? chosen.key, id: each.theirs?.id ?? null }] : [];
  });
}

function pick({ base, mine, theirs }: Omit<Conflict, 'name'>, side: Side): DraftLayer | null {
  if (isAlike(base, mine)) return theirs;
  if (isAlike(base, theirs)) return mine;
  return side === 'mine' ? mine : theirs;
}

function byName(versions: Versions): ReadonlyMap<string, Omit<Conflict, 'name'>> {
  const { base, mine, theirs } = versions;
  const nameOf = namesIn(versions);
  const found = new Map<string, Omit<Conflict, 'name'>>();
  for (const name of [...base, ...theirs, ...mine].map(nameOf)) {
    const within = (layers: Layers): DraftLayer | null => layers.find((each) => nameOf(each) === name) ?? null;
    if (!found.has(name)) found.set(name, { base: within(base), mine: within(mine), theirs: within(theirs) });
  }
  return found;
}

/** The id; the first layer that I added under a ref is the one that they added under it. */
function namesIn({ base, mine, theirs }: Versions): (layer: DraftLayer) => string {
  const known = new Set(base.map(({ id }) => id));
  const addedByRef = new Map(theirs.filter(({ id }) => !known.has(id)).map(({ ref, id }) => [ref, id]));
  const firstOf = new Map(
    mine
      .filter(({ id }) => id === null)
      .toReversed()
      .map(({ ref, key }) => [ref, key]),
  );
  return ({ id, ref, key }) => id ?? (firstOf.get(ref) === key ? addedByRef.get(ref) : null) ?? key;
}

function isAlike(a: DraftLayer | null, b: DraftLayer | null): boolean {
  return a === null || b === null ? a === b : isSame(a, b);
}

function orderOf({ base, mine, theirs }: Versions): Comparison['order'] {
  if (!isReordered(base, theirs)) return isReordered(base, mine) ? 'mine' : null;
  return isReordered(base, mine) ? 'both' : 'theirs';
}

function isReordered(base: Layers, mine: Layers): boolean {
  const place = new Map(base.map(({ id }, i) => [id, i]));
  const places = mine.flatMap(({ id }) => place.get(id) ?? []);
  return places.some((each, i) => i > 0 && each < (places[i - 1] ?? 0));
}
