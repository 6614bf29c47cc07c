/** Reads a statement of SQL as far as Weft has to: its named parameters, and the word that it begins with. Pure. */
import { LayerFailure } from '../layer-module.js';
import type { Statement } from './database.js';
import type { Engine } from './database-place.js';

interface ReadStatement {
  /** With the places of the engine where the named parameters are. */
  readonly text: string;
  /** Of the parameter in each place. */
  readonly names: readonly string[];
  /** It has places of the engine already. */
  readonly isNumbered: boolean;
  /** In lower case; empty for a statement without one. */
  readonly firstWord: string;
}

interface Grammar {
  /** Texts, names and comments to the end of a line, in which nothing is a parameter. */
  readonly skipped: readonly RegExp[];
  /** What begins a text that ends with the same. */
  readonly quote: RegExp | null;
  readonly nestsComments: boolean;
  /** A place as the engine has it. */
  readonly place: RegExp;
  /** The place of a parameter. @param number of the parameter, from 1; null: each place has a value of its own */
  readonly placeOf: ((number: number) => string) | null;
}

const GRAMMARS: Readonly<Record<Engine, Grammar>> = {
  postgres: {
    skipped: [/[eE]'(?:[^'\\]|\\[^]|'')*(?:'|$)/y, /'(?:[^']|'')*(?:'|$)/y, /"(?:[^"]|"")*(?:"|$)/y, /--[^\n]*/y],
    quote: /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y,
    ...{ nestsComments: true, place: /\$\d+/y, placeOf: (number) => `$${number}` },
  },
  // with the sql_mode that Weft sets: a backslash escapes, also within double quotes
  mysql: {
    skipped: [
      ...[/'(?:[^'\\]|\\[^]|'')*(?:'|$)/y, /"(?:[^"\\]|\\[^]|"")*(?:"|$)/y, /`(?:[^`]|``)*(?:`|$)/y],
      ...[/--(?=\s|$)[^\n]*/y, /#[^\n]*/y],
    ],
    ...{ quote: null, nestsComments: false, place: /\?/y, placeOf: null },
  },
};
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NAMED = /:([A-Za-z_]\w*)/y;
/** A cast, and the arrow of a named argument of a function, or an assignment. */
const COLONS = /::|:=/y;

/** Named parameters are written `:name`. */
export function readStatement(statement: string, engine: Engine): ReadStatement {
  const grammar = GRAMMARS[engine];
  const names: string[] = [];
  let text = '';
  let firstWord: string | null = null;
  let isNumbered = false;
  for (let at = 0; at < statement.length;) {
    const skipped = skippedAt(statement, at, grammar);
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
      if (!grammar.placeOf || !names.includes(name)) names.push(name);
      text += grammar.placeOf?.(names.indexOf(name) + 1) ?? '?';
      at += named.length;
      continue;
    }
    const place = matchAt(grammar.place, statement, at);
    if (place !== null) isNumbered = true;
    const part = place ?? statement.charAt(at);
    text += part;
    at += part.length;
  }
  return { text, names, isNumbered, firstWord: firstWord ?? '' };
}

/** Where what begins here and has no parameters ends; the same place when there is no such thing. */
function skippedAt(statement: string, at: number, { skipped, quote, nestsComments }: Grammar): number {
  for (const pattern of skipped) {
    const found = matchAt(pattern, statement, at);
    if (found !== null) return at + found.length;
  }
  if (statement.startsWith('/*', at)) {
    return nestsComments ? endOfComment(statement, at) : endOf('*/', statement, at + 2);
  }
  const tag = quote && matchAt(quote, statement, at);
  return tag === null ? at : endOf(tag, statement, at + tag.length);
}

function endOf(mark: string, statement: string, from: number): number {
  const end = statement.indexOf(mark, from);
  return end === -1 ? statement.length : end + mark.length;
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

/** What is wrong with a statement whatever its parameters are; null: nothing. A layer is saved before its database is known. */
export function faultOfStatement(statement: string, engine: Engine = 'postgres'): string | null {
  if (statement.includes('{{')) {
    return 'an expression in a statement would make data a part of the program: write :name, and give the value in params';
  }
  if (statement.includes('\0')) return 'a statement has no character with the code 0';
  const { firstWord } = readStatement(statement, engine);
  if (firstWord === '') return 'expected a statement of SQL';
  if (OF_TRANSACTIONS.has(firstWord)) {
    return `${firstWord.toUpperCase()} is said by Weft: write the statements of one transaction as a layer sql-transaction`;
  }
  if (OF_COPIES.has(firstWord)) return 'COPY is not a query: read with mode "file", write with mode "many"';
  return null;
}

/** A comment that MySQL runs. */
const EXECUTED = /\/\*M?!/;

/** Whether the statement begins like one that only reads. It may call functions that write: a hint, not a proof. */
export function looksReadOnly(statement: string): boolean {
  return !EXECUTED.test(statement) && READING.has(readStatement(statement, 'postgres').firstWord);
}

export type Params = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * The statement with its values, as the engine takes them.
 *
 * @throws LayerFailure `invalid_args`
 */
export function statementFor(engine: Engine, written: string, params: Params, where: string): Statement {
  const fault = faultOfStatement(written, engine);
  if (fault !== null) throw invalid(fault);
  const read = readStatement(written, engine);
  return { text: read.text, values: valuesFor(read, params, where), where, firstWord: read.firstWord };
}

/**
 * The values in the order of their places.
 *
 * @throws LayerFailure `invalid_args`
 */
function valuesFor({ names, isNumbered }: ReadStatement, params: Params, where: string): readonly unknown[] {
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
