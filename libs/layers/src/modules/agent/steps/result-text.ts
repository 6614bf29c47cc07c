/** What the model reads of the result of a call: all of it when it is small, else a reference and how it begins. Pure. */
import { cutText } from '@weft/kernel';
import type { ResultEntry } from './entry.js';

/** Results of up to this many bytes are read whole. */
export const WHOLE_BYTES = 8_192;
const PREVIEW_BYTES = 2_048;
const REF = /^result-(\d{1,6})$/;

/** Of entries: each request has all results again, and one may be of many megabytes. */
const TEXTS = new WeakMap<ResultEntry, string>();

/** @param of the kind of the tool */
export function resultText(index: number, entry: ResultEntry, of: 'flow' | 'operation' | 'mcp' | undefined): string {
  let text = TEXTS.get(entry);
  if (text === undefined) TEXTS.set(entry, (text = madeText(index, entry, of)));
  return text;
}

function madeText(index: number, entry: ResultEntry, of: 'flow' | 'operation' | 'mcp' | undefined): string {
  const text = asText(entry.ok ? readPart(entry.result, of) : entry.result);
  const bytes = Buffer.byteLength(text);
  if (bytes <= WHOLE_BYTES) return text;
  return JSON.stringify({ $ref: `result-${index}`, bytes, preview: cutText(text, PREVIEW_BYTES) });
}

/** Which step a reference means; null: it is not one. */
export function stepOfRef(ref: unknown): number | null {
  const found = typeof ref === 'string' ? REF.exec(ref)?.[1] : undefined;
  return found === undefined ? null : Number(found);
}

/** What is of use to a model: of a web answer its status and body, of a tool the value rather than its text. */
export function readPart(result: unknown, of: 'flow' | 'operation' | 'mcp' | undefined): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const out = result as Readonly<Record<string, unknown>>;
  if (of === 'operation') return { statusCode: out.statusCode, body: out.body };
  return of === 'mcp' ? (out.structured ?? out.content) : result;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
