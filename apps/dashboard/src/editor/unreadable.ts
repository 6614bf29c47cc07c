/** Texts that are no JSON yet, by place: `<key of the layer> <path in it>`. They are kept as they are, where they are. Pure. */
import { isBranch } from '../values/tree-model';
import type { DraftLayer, Layers } from './draft';

export type Unreadable = ReadonlyMap<string, string>;

/** @param text null: the field has a value now, or is gone, and so is what was typed within it */
export function withText(now: Unreadable, place: string, text: string | null): Unreadable {
  const rest = [...now].filter(([each]) => each !== place && !each.startsWith(`${place}.`));
  if (text !== null) return new Map([...rest, [place, text]]);
  return rest.length === now.size ? now : new Map(rest);
}

/** After an item of a list was removed: what was typed in those after it goes up with them. */
export function withoutItem(now: Unreadable, list: string, index: number): Unreadable {
  return new Map(
    [...now].flatMap(([place, text]): [string, string][] => {
      const [, digits = '', rest = ''] = place.startsWith(`${list}.`)
        ? (/^(\d+)(\..*)?$/s.exec(place.slice(list.length + 1)) ?? [])
        : [];
      const at = digits === '' ? -1 : Number(digits);
      if (at === index) return [];
      return [[at > index ? `${list}.${at - 1}${rest}` : place, text]];
    }),
  );
}

/** After undo or redo: what was typed over a value goes where another value stands there now. */
export function stillThere(now: Unreadable, before: Layers, after: Layers): Unreadable {
  const kept = [...now].filter(([place]) => Object.is(valueAt(place, before), valueAt(place, after)));
  return kept.length === now.size ? now : new Map(kept);
}

/** @returns key of the layer and path in it */
export function placeOf(place: string): readonly [key: string, path: string] {
  const at = place.indexOf(' ');
  return [place.slice(0, at), place.slice(at + 1)];
}

/** Undefined where there is none. Names may have dots in them: the longest that fits is taken. */
function valueAt(place: string, layers: Layers): unknown {
  const [key, path] = placeOf(place);
  const layer: DraftLayer | undefined = layers.find((each) => each.key === key);
  return layer && valueIn(layer, path);
}

function valueIn(value: unknown, path: string): unknown {
  if (path === '') return value;
  if (!isBranch(value)) return undefined;
  const name = Object.keys(value)
    .filter((each) => path === each || path.startsWith(`${each}.`))
    .sort((a, b) => b.length - a.length)[0];
  if (name === undefined) return undefined;
  return valueIn((value as Readonly<Record<string, unknown>>)[name], path.slice(name.length + 1));
}
