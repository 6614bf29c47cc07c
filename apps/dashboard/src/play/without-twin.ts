import { parseJson } from '@weft/client';
import { isBranch } from '../values/tree-model';

/** An answer without its `body`, where that is the text of its `json` and so says nothing more. */
export function withoutTwin(out: unknown): unknown {
  if (!isBranch(out) || !('json' in out) || !('body' in out) || typeof out.body !== 'string') return out;
  if (!isBranch(out.json) || !isTextOf(out.body, out.json)) return out;
  const { body: _, ...rest } = out;
  return rest;
}

function isTextOf(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(parseJson(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
