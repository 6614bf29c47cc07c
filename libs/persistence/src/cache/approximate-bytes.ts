const OBJECT = 48;
const FIELD = 16;

/** What a value of plain data takes in memory, more or less: right in its order, cheap to tell. */
export function approximateBytes(value: unknown): number {
  let bytes = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one === 'string') bytes += OBJECT + one.length;
    else if (one === null || typeof one !== 'object') bytes += FIELD;
    else {
      const fields = Object.values(one);
      bytes += OBJECT + FIELD * fields.length;
      for (const field of fields) rest.push(field);
    }
  }
  return bytes;
}
