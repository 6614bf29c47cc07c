import { parseJson, writeJson } from '@weft/client';
import { firstPart } from '../values/first-part';
import { isBranch } from '../values/tree-model';

/** An answer without its `body`, where that is the text of its `json` and so says nothing more. */
export function withoutTwin(out: unknown): unknown {
  if (!isBranch(out) || !('json' in out) || !('body' in out) || typeof out.body !== 'string') return out;
  if (!isBranch(out.json) || !isTextOf(out.body, out.json)) return out;
  const { body: _, ...rest } = out;
  return rest;
}

/** The beginning of an answer whose `json` is not in it: the part of `json` that the beginning of its `body` is the text of. */
export function withJsonOfBody(start: unknown): unknown {
  if (!isBranch(start) || 'json' in start || !('body' in start) || typeof start.body !== 'string') return start;
  if (!/^\s*[[{]/.test(start.body)) return start;
  const { body, ...rest } = start;
  try {
    return { ...rest, json: firstPart(body) };
  } catch {
    return start;
  }
}

function isTextOf(text: string, value: unknown): boolean {
  try {
    return writeJson(parseJson(text)) === writeJson(value);
  } catch {
    return false;
  }
}
