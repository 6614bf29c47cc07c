/**
 * The one reader of JSON that comes from outside. It refuses what is too large or nested too deep before the parser sees it: a
 * parser takes seconds for millions of levels. Integers that a `number` cannot hold become a `bigint`, with every digit: see
 * `big-integers.ts`.
 */
import './big-integers.js';

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
 * @throws SyntaxError when it is not JSON, not UTF-8, beyond the bounds, or has a number that would become `Infinity`
 */
export function parseJson(source: Uint8Array | string, bounds: JsonBounds = {}): unknown {
  const { maxDepth = MAX_JSON_DEPTH, maxBytes = Infinity } = bounds;
  if (source.length > maxBytes) throw new SyntaxError(`it has more than ${maxBytes} bytes`);
  const text = typeof source === 'string' ? withoutMark(source) : decoded(source);
  return scanJson(text, maxDepth) ? (JSON.parse(text, withBigIntegers as never) as unknown) : JSON.parse(text);
}

/** What Weft wrote itself, with its depth known: only the digits of its integers are looked after. */
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

const [QUOTE, BACKSLASH, DOT, ZERO, NINE, SMALL_E] = [0x22, 0x5c, 0x2e, 0x30, 0x39, 0x65];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];
/** An integer of as many digits is safe. */
const SAFE_DIGITS = 15;

/** Three digits of an exponent are too many for a number, unless it is very small. */
const LARGE_EXPONENT = /^[eE]\+?\d{3}/;

/**
 * One pass over the text. What comes after its first fault as JSON may be judged wrongly: the parser ends there.
 *
 * @returns whether it may have integers that are not safe, or numbers that are too large
 * @throws SyntaxError when it is nested deeper
 */
function scanJson(text: string, maxDepth: number): boolean {
  let [depth, digits] = [0, 0];
  let hasLong = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfText(text, i);
      digits = 0;
    } else if (unit >= ZERO && unit <= NINE) {
      digits += 1;
      if (digits > SAFE_DIGITS) hasLong = true;
    } else {
      if (digits !== 0 && (unit | 0x20) === SMALL_E && LARGE_EXPONENT.test(text.slice(i, i + 5))) hasLong = true;
      // the digits of a fraction do not count
      digits = unit === DOT ? -text.length : 0;
      if (unit === BRACKET || unit === BRACE) {
        depth += 1;
        if (depth > maxDepth) throw new SyntaxError(`it is nested deeper than ${maxDepth} levels`);
      } else if (unit === BRACKET_END || unit === BRACE_END) depth -= 1;
    }
  }
  return hasLong;
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

/** Of more digits nobody computes: they are kept as a text. */
const MAX_DIGITS = 1_000;
const INTEGER = /^-?\d+$/;

/** Node 24 and new browsers give the context; the types do not have it yet. */
function withBigIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  if (!INTEGER.test(source)) {
    if (!Number.isFinite(value))
      throw new SyntaxError(`the number ${source.slice(0, 40)} is larger than any that can be kept`);
    return value;
  }
  return source.length > MAX_DIGITS ? source : BigInt(source);
}
