import type { Literal } from './expression.js';

/** A fault in a text; it becomes a `SyntaxFault` once its path in the value is known. */
export class ScanFault extends Error {
  constructor(
    message: string,
    /** The syntax is valid so far: this fault applies, whatever else the text could have been. */
    readonly isMeant = false,
  ) {
    super(message);
  }
}

// Sticky and without nested repetition: each reads on from the scanner's position, in linear time.
const BLANKS = /[ \t\r\n]*/y;
const NAME = /[\p{L}\p{N}_][\p{L}\p{N}_-]*/uy;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const DIGITS = /[0-9]+/y;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
]);

const WORDS: ReadonlyMap<string, Literal> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads the tokens of expressions one after the other, from a position in a text. */
export class Scanner {
  constructor(
    readonly text: string,
    public position: number,
  ) {}

  skipBlanks(): void {
    this.match(BLANKS);
  }

  /** Skips `piece` if it is at the current position. */
  take(piece: string): boolean {
    if (!this.text.startsWith(piece, this.position)) return false;
    this.position += piece.length;
    return true;
  }

  name(): string | null {
    return this.match(NAME);
  }

  /** A position in a list. */
  digits(): number | null {
    const digits = this.match(DIGITS);
    return digits === null ? null : Number(digits);
  }

  /**
   * A text in either kind of quotes with JSON's short escapes, a number, true, false, null; undefined for anything
   * else.
   */
  literal(): Literal | undefined {
    const quote = this.text[this.position];
    if (quote === '"' || quote === "'") return this.quoted(quote);
    const number = this.match(NUMBER);
    if (number !== null) return Number(number);
    const start = this.position;
    const word = this.name();
    const value = word === null ? undefined : WORDS.get(word);
    if (value === undefined) this.position = start;
    return value;
  }

  /** The remaining text for a message: short, on one line. */
  rest(): string {
    const rest = this.text.slice(this.position, this.position + 20);
    return rest === '' ? 'the end of the text' : JSON.stringify(rest);
  }

  private quoted(quote: string): string {
    let value = '';
    for (let i = this.position + 1; i < this.text.length; i += 1) {
      const char = this.text[i] as string;
      if (char === quote) {
        this.position = i + 1;
        return value;
      }
      if (char !== '\\') {
        value += char;
        continue;
      }
      i += 1;
      const escaped = ESCAPES.get(this.text[i] ?? '');
      if (escaped === undefined) throw new ScanFault(`\\${this.text[i] ?? ''} means nothing in a quoted text`);
      value += escaped;
    }
    throw new ScanFault('a quoted text has no end');
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return null;
    this.position += found.length;
    return found;
  }
}
