/**
 * Patterns of schemas run in the processes of Weft, so that none may take long: the number of ways in which a pattern can try a
 * text is bounded before it is used.
 */

/** A text that a pattern is tried on has at most this many characters. */
export const MAX_PATTERN_TEXT = 256;
const MAX_PATTERN_CHARS = 500;
/** Ways to try a text. */
const MAX_WAYS = 100_000;

const TOO_MANY = 'can try a text in too many ways: begin it with ^, and use fewer or narrower *, +, ? and {n,m}';

/** What keeps a pattern from being used; null: nothing. */
export function patternFault(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_CHARS) return `has more than ${MAX_PATTERN_CHARS} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'is not a regular expression';
  }
  const ways = waysOf(pattern);
  return typeof ways === 'string' ? ways : null;
}

const TOKENS = /\\[1-9k]|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?!:)|\((?:\?:)?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gsu;

/** In how many ways a pattern can try a text at most; a text: why it is not taken. */
export function waysOf(pattern: string): number | string {
  let ways = pattern.startsWith('^') && !hasAlternatives(pattern) ? 1 : MAX_PATTERN_TEXT;
  let before = '';
  for (const [token] of pattern.matchAll(TOKENS)) {
    if (/^\\[1-9k]$/.test(token)) return 'has a back reference, which is not taken';
    if (token === '(?') return 'has a group other than (…) and (?:…), which is not taken';
    const range = rangeOf(token);
    if (range !== null && before === ')' && !token.startsWith('?')) return 'repeats a group, which is not taken';
    if (range !== null) ways *= range;
    if (token === '|') ways *= 2;
    if (ways > MAX_WAYS) return TOO_MANY;
    before = token;
  }
  return ways;
}

/** Outside of groups, where a ^ holds for the first alternative only. */
function hasAlternatives(pattern: string): boolean {
  let depth = 0;
  for (const [token] of pattern.matchAll(TOKENS)) {
    if (token.startsWith('(')) depth += 1;
    if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) return true;
  }
  return false;
}

/** In how many ways a quantifier can stop; null: the token is not one. */
function rangeOf(token: string): number | null {
  if (/^[*+]\??$/.test(token)) return MAX_PATTERN_TEXT;
  if (/^\?\??$/.test(token)) return 2;
  const bounds = /^\{(\d+)(?:,(\d*))?\}/.exec(token);
  if (!bounds) return null;
  const [, least = '0', most] = bounds;
  if (most === undefined) return 1;
  const upTo = most === '' ? MAX_PATTERN_TEXT : Number(most);
  return Math.min(MAX_PATTERN_TEXT, Math.max(1, upTo - Number(least) + 1));
}
