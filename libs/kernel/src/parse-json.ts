/**
 * The one reader of JSON that comes from outside. It refuses what is too large, nested too deep or made of too many parts before the
 * parser sees it: a parser takes seconds for millions of levels or of different names, and a gigabyte for 40 MB of empty objects. Integers that a `number` cannot hold become a `bigint`, with every digit: see
 * `big-integers.ts`.
 */
import './big-integers.js';
import { nameHash } from './name-hash.js';

/** What a web request's answer may have: MongoDB takes 100 levels, and an output is nested some levels deep in its play. */
export const MAX_JSON_DEPTH = 64;

export interface JsonBounds {
  /** Nesting of objects and lists, the outermost one counted as 1; default `MAX_JSON_DEPTH`. */
  readonly maxDepth?: number;
  /** Of the text: bytes, or UTF-16 units where it is a string. Default: as many as there are. */
  readonly maxBytes?: number;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const BOM = '\ufeff';

/**
 * @param source bytes in UTF-8, or a text; a byte order mark is not part of it
 * @throws SyntaxError when it is not JSON, not UTF-8, beyond the bounds, has too many values or different names, or a number that
 * would become `Infinity`
 */
export function parseJson(source: Uint8Array | string, bounds: JsonBounds = {}): unknown {
  const { maxDepth = MAX_JSON_DEPTH, maxBytes = Infinity } = bounds;
  if (source.length > maxBytes) throw new SyntaxError(`it has more than ${maxBytes} bytes`);
  const text = typeof source === 'string' ? withoutMark(source) : decoded(source);
  const numbers = new LongNumbers(text);
  scanJson(text, maxDepth, (start, end) => numbers.meet(start, end));
  return numbers.parse();
}

/** What Weft stored, with its depth known. @throws SyntaxError as `parseJson` */
export function parseStoredJson(source: Uint8Array | string): unknown {
  return parseJson(source, { maxDepth: Infinity });
}

/**
 * For JSON that a library parses.
 *
 * @param source anything; what is not JSON is not deep, as a parser gives it up at once
 * @throws SyntaxError when it is nested deeper
 */
export function assertJsonDepth(source: Uint8Array, maxDepth: number): void {
  const text = new TextDecoder().decode(source);
  if (/^\s*[[{]/.test(text)) scanJson(text, maxDepth);
}

function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

function decoded(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw new SyntaxError('it is not UTF-8', { cause });
  }
}

const [QUOTE, BACKSLASH, MINUS, PLUS, DOT, ZERO, NINE, SMALL_E] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x65];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const [BLANK, COMMA, COLON] = [0x20, 0x2c, 0x3a];
/** A number of as many characters that has no exponent is kept by a `number`. */
const SHORT = 15;

/** Of values in a text: as many take some 200 MB. An object or a list counts as several. */
const MAX_VALUES = 16_000_000;
const VALUES_OF_CONTAINER = 4;
/** Names of fields that are not compared, and then different ones that may follow: each takes the parser microseconds. */
const MANY_NAMES = 100_000;
const hashOf = nameHash(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

/**
 * One pass over the text. What comes after its first fault as JSON may be judged wrongly: the parser ends there.
 *
 * @param meet is given where each number is that is long or has an exponent
 * @throws SyntaxError when it is nested deeper, or has too many values or different names
 */
function scanJson(text: string, maxDepth: number, meet?: (start: number, end: number) => void): void {
  let depth = 0;
  let values = 0;
  let names = 0;
  const further = new Set<number>();
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === COMMA) values += 1;
    else if (unit === QUOTE) {
      const start = i + 1;
      i = endOfText(text, i);
      if (!isName(text, i)) continue;
      names += 1;
      if (names > MANY_NAMES) further.add(hashOf(text, start, i));
      if (further.size > MANY_NAMES) throw new SyntaxError('it has too many different names of fields');
    } else if (unit === MINUS || isDigit(unit)) {
      const [start, end] = [i, endOfNumber(text, i)];
      if (meet && (end - start > SHORT || hasExponent(text, start, end))) meet(start, end);
      i = end - 1;
    } else if (unit === BRACKET || unit === BRACE) {
      depth += 1;
      values += VALUES_OF_CONTAINER;
      if (depth > maxDepth) throw new SyntaxError(`it is nested deeper than ${maxDepth} levels`);
    } else if (unit === BRACKET_END || unit === BRACE_END) depth -= 1;
  }
  if (values > MAX_VALUES) throw new SyntaxError('it has too many values');
}

/** @param end of a text: its second quote */
function isName(text: string, end: number): boolean {
  let i = end + 1;
  while (i < text.length && text.charCodeAt(i) <= BLANK) i += 1;
  return text.charCodeAt(i) === COLON;
}

function endOfText(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i;
    if (unit === BACKSLASH) i += 1;
  }
  return i;
}

function endOfNumber(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && isOfNumber(text.charCodeAt(i))) i += 1;
  return i;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if ((text.charCodeAt(i) | 0x20) === SMALL_E) return true;
  return false;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function isOfNumber(unit: number): boolean {
  return isDigit(unit) || unit === DOT || unit === MINUS || unit === PLUS || (unit | 0x20) === SMALL_E;
}

/** Of more digits nobody computes: they are kept as a text. */
const MAX_DIGITS = 1_000;
const INTEGER = /^-?(0|[1-9]\d*)$/;

/**
 * The numbers of one text that a `number` may not hold. A reviver, which sees the source of each number, would take the parser
 * half a second for a megabyte, whatever is in it: instead such an integer is parsed as a list of one text (a key cannot be one)
 * that begins with a mark which nobody could foresee, and then replaced.
 */
class LongNumbers {
  private readonly parts: string[] = [];
  private from = 0;

  /** @param mark drawn for a text that has such a number, where none is given */
  constructor(
    private readonly text: string,
    private mark = '',
  ) {}

  /** @throws SyntaxError when it would become `Infinity` */
  meet(start: number, end: number): void {
    const source = this.text.slice(start, end);
    const value = Number(source);
    if (Number.isSafeInteger(value)) return;
    if (INTEGER.test(source)) {
      this.mark ||= newMark();
      this.parts.push(this.text.slice(this.from, start), `["${this.mark}${source}"]`);
      this.from = end;
    } else if (Math.abs(value) === Infinity) {
      throw new SyntaxError(`the number ${source.slice(0, 40)} is larger than any that can be kept`);
    }
  }

  parse(): unknown {
    return this.parts.length === 0 ? JSON.parse(this.text) : withIntegers(this.parsed(), this.mark);
  }

  /** The text with its marks. */
  marked(): string {
    return this.parts.length === 0 ? this.text : [...this.parts, this.text.slice(this.from)].join('');
  }

  private parsed(): unknown {
    try {
      return JSON.parse(this.marked());
    } catch {
      return JSON.parse(this.text); // whose error shows the text as it is
    }
  }
}

function newMark(): string {
  return String(crypto.getRandomValues(new BigUint64Array(1))[0]);
}

/** The value, in whose lists and objects integers are in the places of marks. */
function withIntegers(value: unknown, mark: string): unknown {
  const root = [value];
  const open: object[] = [root];
  for (let holder = open.pop(); holder; holder = open.pop()) {
    const fields = holder as Record<string | number, unknown>;
    if (Array.isArray(holder)) for (let i = 0; i < holder.length; i += 1) replaceMark(fields, i, mark, open);
    else for (const key of Object.keys(holder)) replaceMark(fields, key, mark, open);
  }
  return root[0];
}

/** @param open receives what is left to look into */
function replaceMark(
  fields: Record<string | number, unknown>,
  key: string | number,
  mark: string,
  open: object[],
): void {
  const value = fields[key];
  if (typeof value !== 'object' || value === null) return;
  const digits = digitsIn(value, mark);
  if (digits === null) open.push(value);
  else fields[key] = digits.length > MAX_DIGITS ? digits : BigInt(digits);
}

function digitsIn(value: object, mark: string): string | null {
  if (!Array.isArray(value) || value.length !== 1) return null;
  const only: unknown = value[0];
  return typeof only === 'string' && only.startsWith(mark) ? only.slice(mark.length) : null;
}

/** For JSON that a library parses: integers that a `number` cannot hold pass through it with every digit. */
export class ExactIntegers {
  private readonly mark = newMark();

  /**
   * @param text JSON, or a line of it
   * @throws SyntaxError when it has too many values or different names, or a number that would become `Infinity`
   */
  marked(text: string): string {
    const numbers = new LongNumbers(text, this.mark);
    scanJson(text, Infinity, (start, end) => numbers.meet(start, end));
    return numbers.marked();
  }

  /** What the library has read, changed. */
  restored(value: unknown): unknown {
    return withIntegers(value, this.mark);
  }
}
