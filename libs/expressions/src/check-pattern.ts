/**
 * Whether a linear engine can use a regular expression, found out in little time: the engine writes repetitions out, so
 * `a{1000}` ten times are ten thousand parts, which take it long to put together.
 */
import { RE2JS } from 're2js';

/** Parts of a pattern whose repetitions are written out. */
const MAX_PARTS = 10_000;
/** Up to here the pattern is compiled as it is. */
const MAX_COMPILED_PARTS = 500;
/** The engine's own bounds of a repetition, also of one inside of others. */
const MAX_REPEATS = 1_000;

/** @throws Error that says what is wrong with the pattern */
export function checkPattern(pattern: string): void {
  const { parts, repeats, withoutCounts } = measure(pattern);
  if (parts > MAX_PARTS) {
    throw new Error(`its repetitions are too many: written out they are ${parts} parts, and ${MAX_PARTS} are possible`);
  }
  if (repeats > MAX_REPEATS) throw new Error(`invalid repeat count: at most ${MAX_REPEATS} are possible`);
  RE2JS.compile(parts > MAX_COMPILED_PARTS ? withoutCounts : pattern);
}

interface Measures {
  /** With its repetitions written out. */
  readonly parts: number;
  /** Of repetitions inside of each other, the largest product. */
  readonly repeats: number;
  /** The same pattern with the smallest counts: right or wrong as this one is. */
  readonly withoutCounts: string;
}

interface Group {
  parts: number;
  repeats: number;
  /** What a repetition that follows would repeat. */
  last: { parts: number; repeats: number };
}

const COUNTS = /\{(\d+)(,(\d*))?\}/y;
const ESCAPE_IN_CLASS = /\\(?:[pPx]\{[^}]*\}?|[^]?)/y;
const ESCAPE = /\\(?:Q[^]*?(?:\\E|$)|[pPx]\{[^}]*\}?|[^]?)/y;
export function measure(pattern: string): Measures {
  const outer: Group[] = [];
  let group = newGroup();
  let withoutCounts = '';
  const add = (parts: number, repeats: number): void => {
    group.parts += parts;
    group.repeats = Math.max(group.repeats, repeats);
    group.last = { parts, repeats };
  };
  for (let i = 0; i < pattern.length;) {
    const char = pattern[i];
    let token = char as string;
    if (char === '(') {
      outer.push(group);
      group = newGroup();
    } else if (char === ')' && outer.length > 0) {
      const { parts, repeats } = group;
      group = outer.pop() as Group;
      add(parts + 2, repeats);
    } else if (char === '[') {
      token = pattern.slice(i, endOfClass(pattern, i));
      add(1, 1);
    } else if (char === '\\') {
      token = match(ESCAPE, pattern, i) ?? token;
      add(token.startsWith('\\Q') ? token.length : 1, 1);
    } else {
      const counts = char === '{' ? match(COUNTS, pattern, i) : null;
      if (counts === null) add(1, 1);
      else {
        const times = timesOf(counts);
        const { parts, repeats } = group.last;
        group.parts -= parts;
        add(parts * Math.max(1, times), repeats * Math.max(1, times));
        withoutCounts += counts.replace(/\d+/g, '1');
        i += counts.length;
        continue;
      }
    }
    withoutCounts += token;
    i += token.length;
  }
  return { parts: group.parts, repeats: group.repeats, withoutCounts };
}

/** Where a class like `[^]a-z[:digit:]]` has ended: a bracket that comes first, or that ends a name in it, does not end it. */
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

/** How often a repetition is written out; `{2,}` is two times and once more for all the rest. */
function timesOf(counts: string): number {
  const [, least, comma, most] = /\{(\d+)(,(\d*))?\}/.exec(counts) ?? [];
  if (comma === undefined) return Number(least);
  return most === '' ? Number(least) + 1 : Math.max(Number(least), Number(most));
}

function newGroup(): Group {
  return { parts: 0, repeats: 1, last: { parts: 1, repeats: 1 } };
}

function match(pattern: RegExp, text: string, from: number): string | null {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? null;
}
