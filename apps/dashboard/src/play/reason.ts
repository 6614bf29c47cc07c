/** Where services say why they refused, the most telling first. */
const NAMES = ['detail', 'message', 'error_description', 'error', 'title'];
const MAX_CHARS = 300;

/** Why a peer refused, in its own words, where its answer has them in a usual place. @param out of a layer that failed */
export function reasonOf(out: unknown): string | null {
  return textIn(fieldOf(out, 'json'), 2);
}

function textIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value === '' ? null : value.slice(0, MAX_CHARS);
  if (depth === 0) return null;
  for (const name of NAMES) {
    const found = textIn(fieldOf(value, name), depth - 1);
    if (found !== null) return found;
  }
  return null;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
