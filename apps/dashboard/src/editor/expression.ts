/**
 * Expressions as a person writes them: which value they have with the samples of the flow. It reads plain paths; what is more is
 * computed by the server alone. Pure.
 */
import { parseJson } from '@weft/client';
import { isBranch, pathText } from '../values/tree-model';
import type { Schema } from './schema-reading';

/** What expressions of one layer can read. */
export interface Known {
  /** Of the layers before it. */
  readonly refs: readonly KnownRef[];
  /** Of the last play that went well; undefined when there is none. */
  readonly args: unknown;
  /** The flow's schema of its args. */
  readonly argsShape: Schema;
  readonly outs: ReadonlyMap<string, unknown>;
  /** What it reads besides, by name: `$item`, `$page`, … Each is as the first call sees it. */
  readonly variables: ReadonlyMap<string, KnownVariable>;
  /** How often the flow reads a path already: `.fetch.json`. */
  readonly used: ReadonlyMap<string, number>;
}

export type Path = readonly (string | number)[];

export interface KnownVariable {
  readonly says: string;
  readonly shape: Schema;
  /** Undefined: not known. */
  readonly value: unknown;
}

export interface KnownRef {
  readonly ref: string;
  readonly name: string;
  /** Of its output, as its module describes it, with its own `$defs`. */
  readonly shape: Schema;
  /** The play goes on when it fails: its error can be read. */
  readonly mayFail: boolean;
}

/** Of `.fetch.json.items[0]`: a path begins with the ref, or with the variable. Null for what is no path. */
export function pathOf(text: string): Path | null {
  const parts: (string | number)[] = [];
  const rest = text.replace(
    /\.?(?:`([^`]*)`|(\$?[A-Za-z_][\w-]*)|(\d+))|\[(\d+)\]/gy,
    (_, quoted, name, digits, place) => {
      parts.push(String(quoted ?? name ?? '') || Number(digits ?? place));
      return '';
    },
  );
  return rest === '' || rest === '.' ? parts : null;
}

export type Preview =
  | { readonly state: 'value'; readonly value: unknown }
  /** The sample has no such field. */
  | { readonly state: 'missing'; readonly path: string }
  /** Only the server can say. */
  | { readonly state: 'computed' }
  | { readonly state: 'unknown' };

const PATH =
  /^\s*((?:\.|\$prev\.|\$(?:item|index|page|repeat|hook)(?!\w))(?:[\w\-.[\]$]|`[^`]*`)*)\s*(?:\?\?\s*("[^"]*"|-?\d+(?:\.\d+)?|true|false|null))?\s*$/;
const BRACES = /\{\{([\s\S]*?)\}\}/g;

/** The value of a text with expressions; null when it has none. */
export function previewOfText(known: Known, text: string): Preview | null {
  const parts = [...text.matchAll(BRACES)];
  const [first] = parts;
  if (!first) return null;
  const values = parts.map(([, inside = '']) => previewOfExpression(known, inside));
  const bad = values.find(({ state }) => state !== 'value');
  if (bad) return bad;
  const all = values.map((each) => (each.state === 'value' ? each.value : null));
  if (parts.length === 1 && first[0].length === text.trim().length) return { state: 'value', value: all[0] };
  let next = 0;
  return { state: 'value', value: text.replace(BRACES, () => asText(all[next++])) };
}

/** The path that a text is, if it is one expression in braces and nothing else. */
export function pathOfText(text: string): Path | null {
  const [, inside = '', fallback] = PATH.exec(/^\s*\{\{([\s\S]*)\}\}\s*$/.exec(text)?.[1] ?? '') ?? [];
  return inside === '' || fallback !== undefined ? null : pathOf(inside);
}

const READ = /\$?[\w-]*(?:\.(?:[\w-]+|`[^`]*`)(?:\[\d+\])*)+/g;

/** A path, or a part of one, as JSONata reads it: a hyphen is a minus there, but in backticks. */
export function inJsonata(path: string): string {
  return path.replaceAll(/`[^`]*`|[A-Za-z_]\w*(?:-\w*)+/g, (name) => (name.startsWith('`') ? name : `\`${name}\``));
}

/** How often texts read a path, and each part of it from its beginning. @param text of any layers, as JSON */
export function pathsUsed(text: string): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  for (const [found] of text.matchAll(READ)) {
    const parts = pathOf(found.replace(/^\$prev(?=\.)/, '')) ?? [];
    for (let end = 1; end <= parts.length; end += 1) {
      const place = placeOf(parts.slice(0, end));
      used.set(place, (used.get(place) ?? 0) + 1);
    }
  }
  return used;
}

/** A path as `Known.used` names it. */
export function placeOf(path: Path): string {
  return pathText(path[0] === '$prev' ? path.slice(1) : path);
}

function previewOfExpression(known: Known, inside: string): Preview {
  const [, pathPart = '', fallback] = PATH.exec(inside) ?? [];
  const path = pathPart === '' ? null : pathOf(pathPart);
  if (!path) return { state: 'computed' };
  const found = valueAt(known, path);
  if (found.state === 'missing' || (found.state === 'value' && found.value === null)) {
    if (fallback !== undefined) return { state: 'value', value: parseJson(fallback) };
  }
  return found;
}

export function valueAt(known: Known, path: Path): Preview {
  const whole = path[0] === '$prev' ? path.slice(1) : path;
  const [root, ...rest] = whole;
  const variable = path[0] === '$prev' ? undefined : known.variables.get(String(root));
  if (variable) return variable.value === undefined ? { state: 'unknown' } : walked(variable.value, rest);
  if (root === undefined || (path[0] !== '$prev' && String(root).startsWith('$'))) return { state: 'unknown' };
  const isArgs = path[0] === '$prev' && root === 'args';
  if (isArgs ? known.args === undefined : !known.outs.has(String(root))) return { state: 'unknown' };
  return walked(isArgs ? known.args : known.outs.get(String(root)), rest);
}

function walked(root: unknown, rest: Path): Preview {
  let value = root;
  for (const [i, part] of rest.entries()) {
    if (!isBranch(value) || !Object.hasOwn(value, part)) {
      return { state: 'missing', path: pathText(rest.slice(0, i + 1)).slice(0, 200) };
    }
    value = (value as Record<string | number, unknown>)[part];
  }
  return { state: 'value', value };
}

function asText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
