/**
 * The answer of a web request is stored once (ADR 103): as the text that came. What was parsed from it is left out where it is stored,
 * and parsed again where it is read. An output with integers that MongoDB cannot store is stored as its JSON text. Read the output of a
 * result with `outOf`, and nothing else.
 */
import { isFields, type Fields, parseStoredJson, writeJson } from '@weft/kernel';
import type { LayerResult } from './play.js';

type Stored = Pick<LayerResult, 'out' | 'jsonFrom'>;

/** Of outputs that were read: a result is shown to many watchers. */
const WHOLE = new WeakMap<object, unknown>();

/** What the layer gave, as it gave it; null when it is not stored in the play. */
export function outOf({ out, jsonFrom }: Stored): unknown {
  if (jsonFrom === undefined || typeof out !== 'object' || out === null) return out ?? null;
  if (!WHOLE.has(out)) WHOLE.set(out, jsonFrom === 'text' ? fromText(out as Fields) : mapAnswers(out, withJson));
  return WHOLE.get(out);
}

/**
 * The output without what `outOf` parses from `body`.
 *
 * @param out of a module that parses `json` from `body`, or a list of such outputs
 */
export function packOut(out: unknown): Stored {
  let isPacked = false;
  const packed = mapAnswers(out, (answer) => {
    if (!isParsed(answer)) return answer;
    isPacked = true;
    const { json: _json, ...rest } = answer;
    return rest;
  });
  return isPacked ? { out: packed, jsonFrom: 'body' } : { out };
}

/** Whether `json` can be parsed again from `body`. An answer that is not JSON has null there, and keeps it. */
export function isParsed(answer: Fields): answer is Fields & { readonly body: string } {
  return typeof answer.body === 'string' && answer.json !== null && answer.json !== undefined;
}

/** The output as it is stored if MongoDB would change integers in it: the text of all of it. */
export function withoutBigIntegers(packed: Stored, whole: unknown): Stored {
  if (!writeJson(packed.out).hasBigIntegers) return packed;
  return { out: { text: JSON.stringify(whole) }, jsonFrom: 'text' };
}

/** JSON text; a byte order mark is not part of a value. */
export function parseBody(body: string): unknown {
  return parseStoredJson(body);
}

function withJson(answer: Fields): Fields {
  if (typeof answer.body !== 'string' || Object.hasOwn(answer, 'json')) return answer;
  return { ...answer, json: parseOrNull(answer.body) };
}

function fromText(out: Fields): unknown {
  return typeof out.text === 'string' ? parseOrNull(out.text) : null;
}

/** A text that somebody changed in the database must not end the stream of who watches its play. */
function parseOrNull(body: string): unknown {
  try {
    return parseBody(body);
  } catch {
    return null;
  }
}

/** Of one call; or of each item of a loop, which is in `out` where failures are collected. */
function mapAnswers(out: unknown, change: (answer: Fields) => Fields): unknown {
  if (!Array.isArray(out)) return isFields(out) ? change(out) : out;
  return out.map((item: unknown) => {
    if (!isFields(item)) return item;
    if (typeof item.ok !== 'boolean' || !isFields(item.out)) return change(item);
    return { ...item, out: change(item.out) };
  });
}
