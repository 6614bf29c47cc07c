/** Reads a statement of SQL as far as Weft has to: its named parameters, and the word that it begins with. Pure. */
import { LayerFailure } from '../layer-module.js';

export interface ReadStatement {
  /** With `$1`, `$2`, … in the places of the named parameters. */
  readonly text: string;
  /** The parameters in the order of their numbers. */
  readonly names: readonly string[];
  /** It has places that are numbered already. */
  readonly isNumbered: boolean;
  /** In lower case; empty for a statement without one. */
  readonly firstWord: string;
}

/** Texts, names and comments, in which nothing is a parameter; nested comments are followed by hand. */
const SKIPPED = [/[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)/y, /'(?:[^']|'')*(?:'|$)/y, /"(?:[^"]|"")*(?:"|$)/y, /--[^\n]*/y];
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NAMED = /:([A-Za-z_]\w*)/y;
const NUMBERED = /\$\d+/y;
/** A cast, and the arrow of a named argument of a function. */
const COLONS = /::|:=/y;

/** Named parameters are written `:name`. */
export function readStatement(statement: string): ReadStatement {
  const names: string[] = [];
  let text = '';
  let firstWord: string | null = null;
  let isNumbered = false;
  for (let at = 0; at < statement.length;) {
    const skipped = skippedAt(statement, at);
    if (skipped > at) {
      text += statement.slice(at, skipped);
      at = skipped;
      continue;
    }
    const word = matchAt(WORD, statement, at) ?? matchAt(COLONS, statement, at);
    if (word !== null) {
      firstWord ??= word.toLowerCase();
      text += word;
      at += word.length;
      continue;
    }
    const named = matchAt(NAMED, statement, at);
    if (named !== null) {
      const name = named.slice(1);
      if (!names.includes(name)) names.push(name);
      text += `$${names.indexOf(name) + 1}`;
      at += named.length;
      continue;
    }
    const numbered = matchAt(NUMBERED, statement, at);
    if (numbered !== null) isNumbered = true;
    const part = numbered ?? statement.charAt(at);
    text += part;
    at += part.length;
  }
  return { text, names, isNumbered, firstWord: firstWord ?? '' };
}

/** Where what begins here and has no parameters ends; the same place when there is no such thing. */
function skippedAt(statement: string, at: number): number {
  for (const pattern of SKIPPED) {
    const found = matchAt(pattern, statement, at);
    if (found !== null) return at + found.length;
  }
  if (statement.startsWith('/*', at)) return endOfComment(statement, at);
  const tag = matchAt(DOLLAR_QUOTE, statement, at);
  if (tag === null) return at;
  const end = statement.indexOf(tag, at + tag.length);
  return end === -1 ? statement.length : end + tag.length;
}

function endOfComment(statement: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(statement); found; found = marks.exec(statement)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return statement.length;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** They would end the transaction of the layer, or leave one open. */
const OF_TRANSACTIONS: ReadonlySet<string> = new Set([
  ...['begin', 'start', 'commit', 'end', 'rollback', 'abort', 'prepare', 'savepoint', 'release'],
]);
/** Their rows do not come as those of a query. */
const OF_COPIES: ReadonlySet<string> = new Set(['copy']);
/** Not EXPLAIN: with ANALYZE it runs what it explains. */
const READING: ReadonlySet<string> = new Set(['select', 'values', 'table', 'show']);

/** What is wrong with a statement whatever its parameters are; null: nothing. */
export function faultOfStatement(statement: string): string | null {
  if (statement.includes('{{')) {
    return 'an expression in a statement would make data a part of the program: write :name, and give the value in params';
  }
  if (statement.includes('\0')) return 'a statement has no character with the code 0';
  const { firstWord } = readStatement(statement);
  if (firstWord === '') return 'expected a statement of SQL';
  if (OF_TRANSACTIONS.has(firstWord)) {
    return `${firstWord.toUpperCase()} is said by Weft: write the statements of one transaction as a layer sql-transaction`;
  }
  if (OF_COPIES.has(firstWord)) return 'COPY is not a query: read with mode "file", write with mode "many"';
  return null;
}

/** Whether the statement begins like one that only reads. It may call functions that write: a hint, not a proof. */
export function looksReadOnly(statement: string): boolean {
  return READING.has(readStatement(statement).firstWord);
}

export type Params = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * The values in the order of their places.
 *
 * @throws LayerFailure `invalid_args`
 */
export function valuesFor({ names, isNumbered }: ReadStatement, params: Params, where: string): readonly unknown[] {
  if (Array.isArray(params)) {
    if (names.length === 0) return params as readonly unknown[];
    throw invalid(`${where}: the statement names :${names[0]}, so its values are an object and not a list`);
  }
  if (isNumbered && names.length > 0) {
    throw invalid(`${where}: the statement has both :${names[0]} and numbered places: write one kind`);
  }
  const given = params as Readonly<Record<string, unknown>>;
  if (isNumbered) throw invalid(`${where}: the statement has numbered places, so its values are a list`);
  return names.map((name) => {
    if (Object.hasOwn(given, name) && given[name] !== undefined) return given[name];
    throw invalid(`${where}.${name} is missing: the statement names :${name}`);
  });
}

function invalid(message: string): LayerFailure {
  return new LayerFailure('invalid_args', message);
}
