const OBJECT = 48;
const FIELD = 16;

/** About how many bytes a value of plain data takes in memory: right in magnitude, and cheap to compute. */
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
