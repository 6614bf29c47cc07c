/** Stands in a document where a value was left out: the server takes the one that the flow has in this place, or refuses it. */
export const LEFT_OUT = '[left out]';

/** One place where two values differ; undefined where it is not there. */
export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Where two JSON values differ, as deep as both are objects, but for what `after` leaves out. Lists differ as wholes. */
export function* differences(before: unknown, after: unknown, path = ''): Generator<Difference> {
  if (isEqual(before, after)) return;
  if (!isObject(before) || !isObject(after)) {
    yield { path, before, after };
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* differences(before[name], after[name], path === '' ? name : `${path}.${name}`);
  }
}

/** Whatever the order of the names. */
function isEqual(before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) return true;
  if (after === LEFT_OUT) return typeof before === 'string' || typeof before === 'number';
  if (Array.isArray(before) && Array.isArray(after))
    return before.length === after.length && before.every((each, i) => isEqual(each, after[i]));
  if (!isObject(before) || !isObject(after)) return false;
  const names = Object.keys(before);
  return (
    names.length === Object.keys(after).length &&
    names.every((name) => Object.hasOwn(after, name) && isEqual(before[name], after[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
