/**
 * Finds where a richer expression ends, and makes JSONata of it: `.ref` where a value begins becomes `$prev.ref`. Judges no
 * syntax; that is JSONata's own parser's business.
 */
import { ScanFault } from './scan.js';

export interface ScannedJsonata {
  /** As written, without braces and blanks. */
  readonly source: string;
  readonly jsonata: string;
  /** Behind the closing braces. */
  readonly end: number;
  /** Of a position in `jsonata`: where that stands in the text. */
  readonly positionOf: (position: number) => number;
}

const PREVIOUS = '$prev';
const WORD = /[^\s.[\]{}(),@#;:?+\-*/%|=<>^&!~"'`]+/y;
const NUMBER = /[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const LONG_OPERATORS = ['..', '**', ':=', '!=', '<=', '>=', '~>', '??', '?:'];
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const WORD_OPERATORS = ['and', 'or', 'in'];

/**
 * JSONata's parser copies what stands before each `??` and `?:`: a long row of them would grow without bound. So much may
 * come of it.
 */
const MAX_COPIED_CHARS = 1_000_000;

/** Throws ScanFault with its position. */
export class JsonataFault extends ScanFault {
  constructor(
    message: string,
    /** In the text. */
    readonly position: number,
    /** Its syntax is right as far as it goes: this says what is wrong, whatever else it could have been. */
    readonly isMeant = false,
  ) {
    super(message);
  }
}

/** @param end the text ends the expression, and not two braces */
export function scanJsonata(text: string, start: number, end: '}}' | 'text'): ScannedJsonata {
  const open: string[] = [];
  const inserted: number[] = [];
  let jsonata = '';
  let copied = start;
  let copies = 0;
  let valueBegins = true;
  let i = start;

  const finish = (at: number): ScannedJsonata => {
    jsonata += text.slice(copied, at);
    if ((at - start) * 2 ** copies > MAX_COPIED_CHARS) {
      throw new JsonataFault(`there are too many ?? and ?: in one expression (${copies})`, start, true);
    }
    const positionOf = (position: number): number =>
      start + position - PREVIOUS.length * inserted.filter((point) => point < position).length;
    return { source: text.slice(start, at).trim(), jsonata, end: end === 'text' ? at : at + 2, positionOf };
  };

  while (i < text.length) {
    const char = text[i] as string;
    if (char === ' ' || char === '\t' || char === '\n' || char === '\r' || char === '\v') {
      i += 1;
    } else if (char === '"' || char === "'") {
      i = behindQuoted(text, i, char);
      valueBegins = false;
    } else if (char === '`') {
      i = behind(text, '`', i + 1, 'a name in backticks has no end');
      valueBegins = false;
    } else if (text.startsWith('/*', i)) {
      i = behind(text, '*/', i + 2, 'a comment has no end');
    } else if (char === '/' && valueBegins) {
      i = behindRegex(text, i);
      valueBegins = false;
    } else if (char === '.' && valueBegins && text[i + 1] !== '.' && text[i - 1] !== '.') {
      jsonata += text.slice(copied, i) + PREVIOUS;
      inserted.push(jsonata.length - 1);
      copied = i;
      i += 1;
    } else if (char >= '0' && char <= '9') {
      i = behindMatch(NUMBER, text, i);
      valueBegins = false;
    } else if (char in CLOSING) {
      open.push(CLOSING[char] as string);
      valueBegins = true;
      i += 1;
    } else if (char === '}' && open.length === 0 && end === '}}' && text[i + 1] === '}') {
      return finish(i);
    } else if (char === ')' || char === ']' || char === '}') {
      if (open.pop() !== char) throw new JsonataFault(`a bracket is not closed before ${char}, or was never opened`, i);
      valueBegins = false;
      i += 1;
    } else {
      const operator = LONG_OPERATORS.find((each) => text.startsWith(each, i));
      if (operator === '??' || operator === '?:') copies += 1;
      const next = operator ? i + operator.length : behindMatch(WORD, text, i);
      const word = text.slice(i, next);
      if (next === i || operator) {
        // where a value begins, * and % are the fields of what is there, and its parent
        valueBegins = !(valueBegins && (char === '*' || char === '%'));
        i = Math.max(next, i + 1);
      } else {
        valueBegins = !valueBegins && WORD_OPERATORS.includes(word);
        i = next;
      }
    }
  }
  if (end === 'text') return finish(text.length);
  throw new JsonataFault('an expression ends with }}, and here the text ends', text.length);
}

function behind(text: string, closing: string, from: number, message: string): number {
  const at = text.indexOf(closing, from);
  if (at === -1) throw new JsonataFault(message, text.length);
  return at + closing.length;
}

function behindQuoted(text: string, start: number, quote: string): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === quote) return i + 1;
  }
  throw new JsonataFault('a quoted text has no end', text.length);
}

/** A slash inside brackets does not end it: so JSONata reads it. */
function behindRegex(text: string, start: number): number {
  let depth = 0;
  for (let i = start + 1; i < text.length; i += 1) {
    const char = text[i] as string;
    if (char === '\\') i += 1;
    else if (char in CLOSING) depth += 1;
    else if (char === ')' || char === ']' || char === '}') depth -= 1;
    else if (char === '/' && depth === 0) return i + 1;
  }
  throw new JsonataFault('a pattern between slashes has no end', text.length);
}

function behindMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}
