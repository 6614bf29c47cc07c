import { writeJson } from '@weft/kernel';

/** As many items of each list, and characters of each text; the first that is small enough is taken. */
const CUTS = [
  { items: 1_000, chars: 20_000 },
  { items: 100, chars: 4_000 },
  { items: 20, chars: 1_000 },
  { items: 5, chars: 200 },
] as const;
/** Nothing deeper is kept of a value that is cut. */
const MAX_DEPTH = 20;

export interface FirstPart {
  readonly value: unknown;
  /** Of the whole value, as JSON. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** The value, or where it is too large its shape with the first items of its lists and the beginnings of its texts. */
export function firstPart(value: unknown, maxBytes: number): FirstPart {
  const bytes = bytesOf(value);
  if (bytes <= maxBytes) return { value, bytes, isCut: false };
  for (const cut of CUTS) {
    const part = cutTo(value, cut, 0);
    if (bytesOf(part) <= maxBytes) return { value: part, bytes, isCut: true };
  }
  return { value: null, bytes, isCut: true };
}

function cutTo(value: unknown, cut: (typeof CUTS)[number], depth: number): unknown {
  if (typeof value === 'string') return value.length <= cut.chars ? value : `${value.slice(0, cut.chars)}…`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, cut.items).map((item) => cutTo(item, cut, depth + 1));
  const fields = Object.entries(value).slice(0, cut.items);
  return Object.fromEntries(fields.map(([name, field]) => [name, cutTo(field, cut, depth + 1)]));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(writeJson(value).json ?? '');
}
