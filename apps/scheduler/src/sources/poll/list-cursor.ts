/** What is remembered of a list between two looks at it. Pure. */
import { parseStoredJson, writeJson } from '@weft/kernel';
import { createHash } from 'node:crypto';

export interface ListCursor {
  /** What the next call is given; null: nothing was found yet. */
  readonly cursor: unknown;
  /** Digests of ids that were taken, those that were seen last at the end. */
  readonly seen: readonly string[];
}

/** 72 bits: among two thousand ids a new one is taken for a known one once in 10^18 times. */
const DIGEST_CHARS = 12;
/** Of those that the list does not have any more. */
const MOST_GONE = 1_000;

export const NOTHING_SEEN: ListCursor = { cursor: null, seen: [] };

export function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_CHARS);
}

export function readListCursor(text: string): ListCursor {
  if (text === '') return NOTHING_SEEN;
  const { cursor, seen } = parseStoredJson(text) as { readonly cursor: unknown; readonly seen: string };
  return { cursor, seen: seen.match(new RegExp(`.{${DIGEST_CHARS}}`, 'g')) ?? [] };
}

export function writeListCursor({ cursor, seen }: ListCursor): string {
  return writeJson({ cursor, seen: seen.join('') }).json ?? '';
}

/** While the items of a list are taken, one after the other: nothing is forgotten. */
export function withTaken({ cursor, seen }: ListCursor, digests: readonly string[]): ListCursor {
  return { cursor, seen: [...new Set([...seen, ...digests])] };
}

/** After all of them: what the list has is remembered for as long as it has it, and of the rest what was there last. */
export function afterList({ seen }: ListCursor, cursor: unknown, listed: readonly string[]): ListCursor {
  const there = new Set(listed);
  const gone = seen.filter((digest) => !there.has(digest)).slice(-MOST_GONE);
  return { cursor, seen: [...gone, ...there] };
}
