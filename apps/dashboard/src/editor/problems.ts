/** What the server finds wrong or doubtful about a draft, by layer and field. Pure. */
import { isBranch } from '../values/tree-model';
import type { DraftLayer, Layers } from './draft';
import { freeRef } from './order';
import { placeOf, type Unreadable } from './unreadable';

export interface Finding {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface Problem {
  /** Of the layer; null when it is about the flow. */
  readonly key: string | null;
  /** `args.url`, `when`, `retry.attempts`; empty when it is about the layer as a whole. */
  readonly field: string;
  readonly message: string;
  readonly isError: boolean;
}

/** Paths name layers by ref (`layers.fetch.args.url`), or by position when a request was refused. */
export function problemsOf(layers: Layers, found: readonly Finding[], isError: boolean): Problem[] {
  return found.map(({ path, message }) => {
    const [, name = '', field = ''] = /^layers\.([^.]+)\.?(.*)$/.exec(path) ?? [];
    const layer = /^\d+$/.test(name) ? layers[Number(name)] : layers.findLast(({ ref }) => ref === name);
    if (!layer) return { key: null, field: '', message: path === '' ? message : `${path}: ${message}`, isError };
    return { key: layer.key, field, message, isError };
  });
}

/** Of a layer: `args` of `args.url`. */
export const partOf = (field: string): string => field.split('.', 1)[0] ?? '';

/**
 * The layers without the parts that were refused, which hold then as they do when they are left out; a ref is another one.
 *
 * @returns null: what was refused is no part of a layer
 */
export function withoutRefused(layers: Layers, refused: readonly Problem[]): Layers | null {
  if (refused.some(({ key, field }) => key === null || field === '')) return null;
  const parts = Map.groupBy(refused, ({ key }) => key);
  return layers.map((layer) => {
    const its = parts.get(layer.key);
    if (its === undefined) return layer;
    const without = Object.fromEntries(its.map(({ field }) => [partOf(field), undefined])) as Partial<DraftLayer>;
    return { ...layer, ...without, ...('ref' in without && { ref: freeRef('refused', layers) }) };
  });
}

export function unreadableProblems(unreadable: Unreadable, layers: Layers): Problem[] {
  return [...unreadable.keys()].flatMap((place) => {
    const [key, field] = placeOf(place);
    return layers.some((layer) => layer.key === key)
      ? [{ key, field, message: 'this is no JSON yet', isError: true }]
      : [];
  });
}

/** A field in which somebody types, and whether something was wrong with it before. */
export interface Typing {
  readonly key: string;
  /** `args.url`. */
  readonly field: string;
  readonly wasWrong: boolean;
}

/** What is wrong only because a text is not written to its end is said when the field is left. */
export function withoutTyped(problems: readonly Problem[], typing: Typing | null): readonly Problem[] {
  if (typing === null || typing.wasWrong) return problems;
  return problems.filter((problem) => !isIn(problem, typing));
}

/**
 * What a layer or a field that is not saved yet still lacks is no fault of anybody: it is said of a field once somebody was in it.
 *
 * @param saved what the layers are saved as
 * @param left fields in which somebody was, such as `args.url`, by layer
 */
export function withoutFresh(
  problems: readonly Problem[],
  layers: Layers,
  saved: Layers,
  left: ReadonlyMap<string, readonly string[]>,
): readonly Problem[] {
  return problems.filter(({ key, field, ...rest }) => {
    if (key === null || ['', 'name', 'ref'].includes(field)) return true;
    const layer = layers.find((each) => each.key === key);
    const before = saved.find((each) => each.key === key);
    if (layer?.id !== null && !isAdded(field, before, layer)) return true;
    return left
      .get(key)
      ?.some((each) => each.startsWith(`${field}.`) || isIn({ key, field, ...rest }, { key, field: each }));
  });
}

/** Whether a field, or one that it is in, is there now and was not before. @param field `args.auth.integrationId` */
function isAdded(field: string, before: unknown, now: unknown): boolean {
  const [name = '', ...rest] = field.split('.');
  const [was, is] = [before, now].map((value) =>
    isBranch(value) && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined,
  );
  if (is == null) return false;
  return was == null || (rest.length > 0 && isAdded(rest.join('.'), was, is));
}

export function isIn({ key, field }: Problem, typing: Omit<Typing, 'wasWrong'>): boolean {
  return key === typing.key && (field === typing.field || field.startsWith(`${typing.field}.`));
}

/** The first message for a field or for something within it that has no field of its own. */
export function faultAt(problems: readonly Problem[], field: string, isDeep = false): string | undefined {
  const found = problems.find((each) => each.field === field || (isDeep && each.field.startsWith(`${field}.`)));
  if (!found) return undefined;
  return found.field === field ? found.message : `${found.field.slice(field.length + 1)}: ${found.message}`;
}
