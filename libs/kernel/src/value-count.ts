/**
 * The number of values in a JSON value, including itself. Creating, writing or reading it costs time for each of them, however
 * small: a megabyte can be one text or half a million numbers.
 *
 * @param most it is not counted any further than one more than that
 */
export function countValues(value: unknown, most = Infinity): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && count <= most; i += 1) count += countValues(value[i], most - count);
    return count;
  }
  for (const name in value) {
    if (count > most) break;
    count += countValues((value as Readonly<Record<string, unknown>>)[name], most - count);
  }
  return count;
}
