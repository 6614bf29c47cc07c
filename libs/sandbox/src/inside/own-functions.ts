/**
 * Functions of JSONata that Weft replaces, because JSONata's own give wrong results (texts in Base64, times in a zone), and those that
 * JSONata does not have: JSON, XML, files, tables.
 */
import jsonata, { type Expression } from 'jsonata';
import { fromBase64, toBase64 } from './base64.js';
import { fromCsv, toCsv } from './csv.js';
import { TaskFailed } from './errors.js';
import { textOf } from './files.js';
import { fromXml } from './xml.js';
import { offsetAt, timeShownAs } from './time-zones.js';

/** How JSONata calls its own `$toMillis`. */
interface Focus {
  readonly environment: { readonly timestamp: Date };
}

type Format = (timeMs: number, picture: string | undefined, offset: string | undefined) => string;
type Parse = (this: Focus, text: string, picture: string | undefined) => number | undefined;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MAX_TIME_MS = 8.64e15;

const format = await implementationOf<Format>('fromMillis');
const parse = await implementationOf<Parse>('toMillis');

function fromMillis(timeMs?: number, picture?: string, zone?: string): string | undefined {
  if (timeMs === undefined) return undefined;
  if (!(Math.abs(timeMs) <= MAX_TIME_MS)) throw new TaskFailed(`${timeMs} is no time`);
  if (zone === undefined) return format(timeMs, picture, zone);
  const offset = offsetAt(timeMs, zone);
  // an hour at least, or JSONata takes -00:44 for another offset
  const isTold = offset >= 0 || offset <= -HOUR_MS;
  return isTold ? format(timeMs, picture, asJsonataReads(offset)) : format(timeMs + offset, picture, '+0000');
}

function now(picture?: string, zone?: string): string | undefined {
  return fromMillis(new Date().getTime(), picture, zone);
}

/** @param zone of a text that names no offset itself; default UTC */
function toMillis(this: Focus, text?: string, picture?: string, zone?: string): number | undefined {
  if (text === undefined) return undefined;
  if (zone === undefined) return parse.call(this, text, picture);
  const nowMs = this.environment.timestamp.getTime();
  // what the text leaves out is that of today in the zone
  const today = new Date(nowMs + offsetAt(nowMs, zone));
  const shownMs = parse.call({ environment: { timestamp: today } }, text, picture);
  const hasOffset = picture === undefined ? /T.*(?:[+-]\d\d:?\d\d|Z)$/.test(text) : /\[\s*[Zz]/.test(picture);
  return shownMs === undefined || hasOffset ? shownMs : timeShownAs(shownMs, zone);
}

/** Integers that JavaScript cannot hold are texts, as everywhere in expressions. */
function parseJson(text?: string): unknown {
  if (text === undefined) return undefined;
  try {
    return LONG_DIGITS.test(text) ? JSON.parse(text, withoutLongIntegers as Reviver) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new TaskFailed(`$parseJson: ${error.message}`);
    throw error;
  }
}

function withoutLongIntegers(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isLong = typeof value === 'number' && source !== undefined && IS_INTEGER.test(source);
  return isLong && !Number.isSafeInteger(value) ? source : value;
}

type Reviver = (name: string, value: unknown) => unknown;
const LONG_DIGITS = /\d{16}/;
const IS_INTEGER = /^-?\d+$/;

export const OWN_FUNCTIONS: ReadonlyMap<string, unknown> = new Map([
  ['base64encode', await defined(toBase64, '<s-:s>')],
  ['base64decode', await defined(fromBase64, '<s-:s>')],
  ['fromMillis', await defined(fromMillis, '<n-s?s?:s>')],
  ['now', await defined(now, '<s?s?:s>')],
  ['parseJson', await defined(parseJson, '<s-:x>')],
  ['parseXml', await defined(fromXml, '<x-:x>')],
  ['text', await defined(textOf, '<x-:s>')],
  ['csv', await defined(fromCsv, '<x-o?:a>')],
  ['toCsv', await defined(toCsv, '<x-o?:s>')],
  ['toMillis', await defined(toMillis, '<s-s?s?:n>')],
]);

/** `±hhmm` as a number that JSONata takes apart by `Math.floor(x / 100)` and `x % 100`, which is wrong for -0330. */
function asJsonataReads(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_MS;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (offset >= 0) return String(hours * 100 + rest);
  return String(-(rest === 0 ? hours * 100 : (hours - 1) * 100 + rest));
}

async function implementationOf<T>(name: string): Promise<T> {
  const { implementation } = (await jsonata(`$${name}`).evaluate(undefined)) as { implementation: T };
  return implementation;
}

/** As JSONata stores it. */
async function defined(
  implementation: Parameters<Expression['registerFunction']>[1],
  signature: string,
): Promise<unknown> {
  const expression = jsonata('$own');
  expression.registerFunction('own', implementation, signature);
  return expression.evaluate(undefined);
}
