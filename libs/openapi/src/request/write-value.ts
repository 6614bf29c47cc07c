/**
 * Values of parameters as text: the styles of OpenAPI 3.1 (section 4.8.12), which are those of RFC 6570 and three more.
 *
 * What a style does not define: a value inside of a list or an object that is itself one is written as JSON; `deepObject` goes as deep as
 * the value, with the position of an element in brackets. Null and missing values are left out.
 */
import { isObject } from '../json.js';
import type { Writing } from '../operations/plan.js';
import { InputFault } from './input-fault.js';

type Encode = (text: string) => string;
export type Pair = readonly [name: string, value: string];

const MAX_PAIRS = 10_000;

/** Each style between its pieces, before it, and before the name of each piece. */
const IN_PATH = {
  simple: { first: '', between: ',', isNamed: false },
  label: { first: '.', between: '.', isNamed: false },
  matrix: { first: ';', between: ';', isNamed: true },
} as const;

const DELIMITERS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' } as const;

/**
 * A parameter of a path, or of a header (`simple`).
 *
 * @param at where the value is in the input
 * @throws InputFault
 */
export function writeExpanded(name: string, value: unknown, writing: Writing, encode: Encode, at: string): string {
  const style = writing.style === 'label' || writing.style === 'matrix' ? writing.style : 'simple';
  const { first, between, isNamed } = IN_PATH[style];
  const key = encode(name);
  const prefix = isNamed ? `${key}=` : '';
  const whole = writing.content === undefined ? value : JSON.stringify(value);
  if (Array.isArray(whole)) {
    const items = piecesOf(whole, at).map(encode);
    if (items.length === 0) return '';
    if (writing.explode) return first + items.map((item) => prefix + item).join(between);
    return first + prefix + items.join(',');
  }
  if (isObject(whole)) {
    const fields = fieldsOf(whole, at).map(([field, text]) => [encode(field), encode(text)]);
    if (fields.length === 0) return '';
    if (writing.explode) return first + fields.map((pair) => pair.join('=')).join(between);
    return first + prefix + fields.flat().join(',');
  }
  const text = encode(textOf(whole, at));
  // RFC 6570 §3.2.7: a name without a value has no sign
  return first + (isNamed && text === '' ? key : prefix + text);
}

/**
 * A parameter of a query, of a form or of cookies: pairs whose names and values are encoded.
 *
 * @throws InputFault
 */
export function writePairs(
  name: string,
  value: unknown,
  writing: Writing,
  encode: Encode,
  at: string,
): readonly Pair[] {
  if (value === null || value === undefined) return [];
  const key = encode(name);
  if (typeof value !== 'object' && writing.content === undefined) return [[key, encode(textOf(value, at))]];
  if (writing.content !== undefined) {
    return [[key, encode(typeof value === 'string' && !isJson(writing.content) ? value : JSON.stringify(value))]];
  }
  if (writing.style === 'deepObject' && typeof value === 'object') return deepPairs(name, value, encode, at);
  const delimiter = DELIMITERS[writing.style as keyof typeof DELIMITERS] ?? ',';
  if (Array.isArray(value)) {
    const items = piecesOf(value, at).map((each) => encode(each));
    if (writing.explode) return items.map((item) => [key, item]);
    return items.length === 0 ? [] : [[key, items.join(delimiter)]];
  }
  if (isObject(value)) {
    const fields = fieldsOf(value, at).map(([field, text]) => [encode(field), encode(text)] as const);
    if (writing.explode && writing.style === 'form') return fields;
    return fields.length === 0 ? [] : [[key, fields.flat().join(delimiter)]];
  }
  return [[key, encode(textOf(value, at))]];
}

/** `filter[a][b]=1`, `expand[0]=x`. */
function deepPairs(name: string, value: object, encode: Encode, at: string): readonly Pair[] {
  const pairs: Pair[] = [];
  const look = (inner: unknown, key: string, path: string): void => {
    if (inner === null || inner === undefined) return;
    if (typeof inner === 'object') {
      for (const [field, each] of Object.entries(inner)) look(each, `${key}%5B${encode(field)}%5D`, `${path}.${field}`);
    } else if (pairs.push([key, encode(textOf(inner, path))]) > MAX_PAIRS) {
      throw new InputFault(at, `has more than ${MAX_PAIRS} values`);
    }
  };
  look(value, encode(name), at);
  return pairs;
}

function piecesOf(list: readonly unknown[], at: string): readonly string[] {
  const kept = list.filter((each) => each !== null && each !== undefined);
  if (kept.length > MAX_PAIRS) throw new InputFault(at, `has more than ${MAX_PAIRS} values`);
  return kept.map((each, i) => (typeof each === 'string' ? each : pieceOf(each, `${at}.${i}`)));
}

function fieldsOf(value: Readonly<Record<string, unknown>>, at: string): readonly Pair[] {
  return Object.entries(value)
    .filter(([, each]) => each !== null && each !== undefined)
    .map(([name, each]) => [name, pieceOf(each, `${at}.${name}`)]);
}

function pieceOf(value: unknown, at: string): string {
  return typeof value === 'object' ? JSON.stringify(value) : textOf(value, at);
}

function textOf(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new InputFault(at, 'must be a text, a number, true or false');
}

function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/.test(type);
}
