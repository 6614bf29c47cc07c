/** One place where two values differ; undefined where it is not there. */
export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Where two JSON values differ, as deep as both are objects. Lists differ as wholes. */
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
function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, i) => isEqual(each, other[i]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
