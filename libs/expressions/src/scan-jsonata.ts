/**
 * Finds the end of a richer expression, and turns it into JSONata: `.ref` where a value begins becomes `$prev.ref`. It
 * does not check the syntax; JSONata's own parser does.
 */
import { CopiedChars } from './jsonata-copies.js';
import { ScanFault } from './scan.js';

export interface ScannedJsonata {
  /** As written, without braces and blanks. */
  readonly source: string;
  readonly jsonata: string;
  /** Position after the closing braces. */
  readonly end: number;
  /** Its size when JSONata's parser copies parts of it. */
  readonly chars: number;
  /** Maps a position in `jsonata` to the position in the text. */
  readonly positionOf: (position: number) => number;
}

const PREVIOUS = '$prev';
const WORD = /[^\s.[\]{}(),@#;:?+\-*/%|=<>^&!~"'`]+/y;
const NUMBER = /[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const LONG_OPERATORS = ['..', '**', ':=', '!=', '<=', '>=', '~>', '??', '?:'];
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** How many more bars a transform needs. */
const BARS = { two: '||', one: '|' } as const;
const SEPARATORS = [',', ';', ':'];
const WORD_OPERATORS = ['and', 'or', 'in'];

/** For one expression, including the copies that JSONata's parser makes. */
const MAX_CHARS = 131_072;

/** A ScanFault with its position. */
export class JsonataFault extends ScanFault {
  constructor(
    message: string,
    /** Position in the text. */
    readonly position: number,
    isMeant = false,
  ) {
    super(message, isMeant);
  }
}

/** @param end whether the end of the text ends the expression, instead of two braces */
export function scanJsonata(text: string, start: number, end: '}}' | 'text'): ScannedJsonata {
  const open: string[] = [];
  const inserted: number[] = [];
  const withCopies = new CopiedChars(start);
  let jsonata = '';
  let copied = start;
  let valueBegins = true;
  let i = start;

  const finish = (at: number): ScannedJsonata => {
    jsonata += text.slice(copied, at);
    const chars = withCopies.total(at);
    if (chars > MAX_CHARS) {
      const counted = 'what stands before ?? and ?: counts three times, a pattern twenty times';
      throw new JsonataFault(`an expression has at most ${MAX_CHARS} characters: ${counted}`, start, true);
    }
    const positionOf = (position: number): number =>
      start + position - PREVIOUS.length * inserted.filter((point) => point < position).length;
    return { source: text.slice(start, at).trim(), jsonata, end: end === 'text' ? at : at + 2, chars, positionOf };
  };

  /** A bar of a transform, `|what|how|`; `begins`: whether a value begins after it. */
  const atBar = (begins: boolean, at: number): boolean => {
    if (begins) {
      open.push(BARS.two);
      withCopies.open(at);
    } else if (open.at(-1) === BARS.two) {
      open[open.length - 1] = BARS.one;
      withCopies.separate(at);
    } else if (open.at(-1) === BARS.one) {
      open.pop();
      withCopies.close(at);
      return false;
    }
    return true;
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
      const next = endOfRegex(text, i);
      withCopies.pattern(next - i);
      i = next;
      valueBegins = false;
    } else if (char === '.' && valueBegins && text[i + 1] !== '.' && text[i - 1] !== '.') {
      jsonata += text.slice(copied, i) + PREVIOUS;
      inserted.push(jsonata.length - 1);
      copied = i;
      i += 1;
    } else if (char >= '0' && char <= '9') {
      i = behindMatch(NUMBER, text, i);
      valueBegins = false;
    } else if (char === '|') {
      valueBegins = atBar(valueBegins, i);
      i += 1;
    } else if (char in CLOSING) {
      open.push(CLOSING[char] as string);
      withCopies.open(i);
      valueBegins = true;
      i += 1;
    } else if (char === '}' && open.every(isBar) && end === '}}' && text[i + 1] === '}') {
      return finish(i);
    } else if (char === ')' || char === ']' || char === '}') {
      // JSONata's parser reports bars that do not match
      for (; isBar(open.at(-1)); open.pop()) withCopies.close(i);
      if (open.pop() !== char) throw new JsonataFault(`a bracket is not closed before ${char}, or was never opened`, i);
      withCopies.close(i);
      valueBegins = false;
      i += 1;
    } else {
      const operator = LONG_OPERATORS.find((each) => text.startsWith(each, i));
      if (operator === '??' || operator === '?:') withCopies.copy(i);
      else if (SEPARATORS.includes(char) && !operator) withCopies.separate(i);
      const next = operator ? i + operator.length : behindMatch(WORD, text, i);
      const word = text.slice(i, next);
      if (next === i || operator) {
        // where a value begins, * and % are wildcards for fields and for the parent
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

function isBar(opened: string | undefined): boolean {
  return opened === BARS.one || opened === BARS.two;
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

/** Position after the regular expression. As in JSONata's own parser, a slash inside brackets does not end it. */
function endOfRegex(text: string, start: number): number {
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
