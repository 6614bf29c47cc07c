/**
 * Checks quickly whether a linear engine can use a regular expression. The engine expands repetitions, so that ten
 * times `a{1000}` are ten thousand parts, which take long to build; and it lists the other case of classes like `\pL`
 * and of ranges. A pattern with these is checked by a simpler one that is valid if and only if the pattern is.
 */
import { RE2JS } from 're2js';

/** Parts of a pattern after repetitions are expanded. */
const MAX_PARTS = 10_000;
/** A pattern of up to this many parts is compiled as it is, unless it has something else that takes long. */
const MAX_COMPILED_PARTS = 500;
const TAKES_LONG = /\\[pP]|\(\?[a-zA-Z-]*i/;
/** The engine's own limit of a repetition, also of nested ones. */
const MAX_REPEATS = 1_000;

/** @throws Error that says what is wrong with the pattern */
export function checkPattern(pattern: string): void {
  const { parts, repeats, plain } = measure(pattern);
  if (parts > MAX_PARTS) {
    throw new Error(`its repetitions are too many: written out they are ${parts} parts, and ${MAX_PARTS} are possible`);
  }
  if (repeats > MAX_REPEATS) throw new Error(`invalid repeat count: at most ${MAX_REPEATS} are possible`);
  RE2JS.compile(parts > MAX_COMPILED_PARTS || TAKES_LONG.test(pattern) ? plain : pattern);
}

interface Measures {
  /** With repetitions expanded. */
  readonly parts: number;
  /** The largest product of nested repetitions. */
  readonly repeats: number;
  /**
   * The same with the smallest counts, case-sensitive, and each Unicode class once: valid if and only if the pattern
   * is.
   */
  readonly plain: string;
}

interface Group {
  parts: number;
  repeats: number;
  /** What a following repetition would repeat. */
  last: { parts: number; repeats: number };
}

const COUNTS = /\{(\d+)(,(\d*))?\}/y;
const ESCAPE_IN_CLASS = /\\(?:[pPx]\{[^}]*\}?|[^]?)/y;
/** Closed by its bracket it matches nothing itself, and a repetition after it repeats what is before it. */
const FLAGS = /\(\?[a-zA-Z-]+(?:\)|(?=:))/y;
const UNICODE_CLASS = /\\[pP](?:\{[^}]*\}|[^{])/y;
const ESCAPE = /\\(?:Q[^]*?(?:\\E|$)|[pPx]\{[^}]*\}?|[^]?)/y;
export function measure(pattern: string): Measures {
  const outer: Group[] = [];
  let group = newGroup();
  const known = new Set<string>();
  let plain = '';
  const add = (parts: number, repeats: number): void => {
    group.parts += parts;
    group.repeats = Math.max(group.repeats, repeats);
    group.last = { parts, repeats };
  };
  for (let i = 0; i < pattern.length;) {
    const char = pattern[i];
    let token = char as string;
    let judged: string | undefined;
    if (char === '(') {
      token = match(FLAGS, pattern, i) ?? token;
      judged = token.replaceAll('i', 's');
      if (!token.endsWith(')')) {
        outer.push(group);
        group = newGroup();
      }
    } else if (char === ')' && outer.length > 0) {
      const { parts, repeats } = group;
      group = outer.pop() as Group;
      add(parts + 2, repeats);
    } else if (char === '[') {
      token = pattern.slice(i, endOfClass(pattern, i));
      judged = withEachOnce(token, known);
      add(1, 1);
    } else if (char === '\\') {
      token = match(UNICODE_CLASS, pattern, i) ?? match(ESCAPE, pattern, i) ?? token;
      judged = withEachOnce(token, known);
      add(token.startsWith('\\Q') ? token.length : 1, 1);
    } else {
      const counts = char === '{' ? match(COUNTS, pattern, i) : null;
      if (counts === null) add(1, 1);
      else {
        const { writtenOut, counted } = timesOf(counts);
        const { parts, repeats } = group.last;
        group.parts -= parts;
        add(parts * Math.max(1, writtenOut), repeats * Math.max(1, counted));
        plain += counts.replace(/\d+/g, '1');
        i += counts.length;
        continue;
      }
    }
    plain += judged ?? token;
    i += token.length;
  }
  return { parts: group.parts, repeats: group.repeats, plain };
}

/** A Unicode class that occurred before is as valid as it was then: a small class replaces it. */
function withEachOnce(token: string, known: Set<string>): string {
  if (!/\\[pP]/.test(token) || token.startsWith('\\Q')) return token;
  let once = '';
  for (let i = 0; i < token.length;) {
    const named = match(UNICODE_CLASS, token, i);
    const part = named ?? match(ESCAPE_IN_CLASS, token, i) ?? (token[i] as string);
    once += named !== null && known.has(named) ? '\\d' : part;
    if (named !== null) known.add(named);
    i += part.length;
  }
  return once;
}

/**
 * Where a class like `[^]a-z[:digit:]]` ends: a bracket that comes first, or that ends a name in it, does not end it.
 */
function endOfClass(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === '^') i += 1;
  if (pattern[i] === ']') i += 1;
  let hasNames = true;
  while (i < pattern.length && pattern[i] !== ']') {
    const end = hasNames && pattern.startsWith('[:', i) ? pattern.indexOf(':]', i + 2) : null;
    if (end === -1) hasNames = false;
    if (end !== null && end !== -1) i = end + 2;
    else if (pattern[i] === '\\') i += match(ESCAPE_IN_CLASS, pattern, i)?.length ?? 1;
    else i += 1;
  }
  return i + 1;
}

/** The factor of a repetition: `{2,}` counts as two, and is expanded to two times and once more for the rest. */
function timesOf(counts: string): { writtenOut: number; counted: number } {
  const [, least, comma, most] = /\{(\d+)(,(\d*))?\}/.exec(counts) ?? [];
  const counted = comma === undefined || most === '' ? Number(least) : Math.max(Number(least), Number(most));
  return { writtenOut: most === '' ? counted + 1 : counted, counted };
}

function newGroup(): Group {
  return { parts: 0, repeats: 1, last: { parts: 1, repeats: 1 } };
}

function match(pattern: RegExp, text: string, from: number): string | null {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? null;
}
