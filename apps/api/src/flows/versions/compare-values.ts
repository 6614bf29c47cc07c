/** Where two values differ. Pure. */
import { isFields, type Fields } from '@weft/kernel';
import type { FlowChange } from '@weft/contracts';

/**
 * Adds the differences to `changes`, each at the innermost place that both values have. Lists of different lengths differ as a whole.
 *
 * @param path of the values; '' for the root
 * @param max no more changes than this are in the list afterwards
 */
export function compareValues(
  path: string,
  before: unknown,
  after: unknown,
  changes: FlowChange[],
  max = Number.POSITIVE_INFINITY,
): void {
  if (changes.length >= max || Object.is(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const list = after as readonly unknown[];
    before.forEach((item, position) => compareValues(join(path, `.${position}`), item, list[position], changes, max));
  } else if (isFields(before) && isFields(after) && !differInNulls(before, after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compareValues(join(path, step(key)), valueAt(before, key), valueAt(after, key), changes, max);
    }
  } else {
    changes.push({ path, before: before ?? null, after: after ?? null });
  }
}

/** A key that is null on one side and missing on the other would show no difference: then both values are shown whole. */
function differInNulls(before: Fields, after: Fields): boolean {
  const loose = (one: Fields, other: Fields): boolean =>
    Object.keys(one).some((key) => one[key] === null && !Object.hasOwn(other, key));
  return loose(before, after) || loose(after, before);
}

function valueAt(record: Fields, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function join(path: string, part: string): string {
  return path === '' && part.startsWith('.') ? part.slice(1) : path + part;
}

function step(key: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
