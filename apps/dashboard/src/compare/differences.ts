import { isBranch } from '../values/tree-model';

export interface Difference {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

/** More of them say no more to a person. */
export const MAX_DIFFERENCES = 100;

/** Where two JSON values differ, from top to bottom; a field that one of them lacks is undefined there. */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  const visit = (a: unknown, b: unknown, path: readonly (string | number)[]): void => {
    if (found.length >= MAX_DIFFERENCES || Object.is(a, b)) return;
    if (!isBranch(a) || !isBranch(b) || Array.isArray(a) !== Array.isArray(b)) {
      found.push({ path, before: a, after: b });
      return;
    }
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const place = Array.isArray(a) ? Number(key) : key;
      visit(fieldOf(a, key), fieldOf(b, key), [...path, place]);
    }
  };
  visit(before, after, []);
  return found;
}

const fieldOf = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
