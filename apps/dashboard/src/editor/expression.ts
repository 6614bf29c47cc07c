/**
 * Expressions as a person writes them: what may come next, and which value they would have had in a play. It reads plain paths;
 * what is more is computed by the server alone. Pure.
 */
import { parseJson } from '@weft/client';
import { entriesOf, isBranch, pathText, previewOf } from '../values/tree-model';
import { alternativesOf, propertiesOf, schemaAt, type Schema } from './schema-reading';

/** What expressions of one layer can read. */
export interface Known {
  /** Of the layers before it. */
  readonly refs: readonly KnownRef[];
  /** Of the last play that went well; undefined when there is none. */
  readonly args: unknown;
  /** The flow's schema of its args. */
  readonly argsShape: Schema;
  readonly outs: ReadonlyMap<string, unknown>;
  readonly isLoop: boolean;
}

export interface KnownRef {
  readonly ref: string;
  readonly name: string;
  /** Of its output, as its module describes it, with its own `$defs`. */
  readonly shape: Schema;
  /** The play goes on when it fails: its error can be read. */
  readonly mayFail: boolean;
}

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** Whether more can follow. */
  readonly goesOn: boolean;
}

interface Suggestions {
  /** Where the part begins that is being written. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

type Path = readonly (string | number)[];

/** What the error of a layer has: `$errors.<ref>.<field>`. */
const ERROR_FIELDS: readonly Suggestion[] = [
  { label: 'code', detail: 'code of the failure', goesOn: false },
  { label: 'message', detail: 'what went wrong', goesOn: false },
  { label: 'attempts', detail: 'calls that were made', goesOn: false },
  { label: 'statusCode', detail: 'status of the answer', goesOn: false },
  { label: 'item', detail: 'place of the failed item, from 0', goesOn: false },
];
const ERRORS: Suggestion = { label: '$errors', detail: 'errors of layers that may fail', goesOn: true };

const CHAIN = /[$.\w\-`[\]]*$/;
const MAX_SUGGESTIONS = 100;
const ROOTS: readonly Suggestion[] = [
  { label: '$prev', detail: 'arguments and outputs', goesOn: true },
  { label: '$play.id', detail: 'id of the play', goesOn: false },
  { label: '$play.trigger', detail: 'how it was started', goesOn: false },
  { label: '$play.idempotencyKey', detail: 'key of the run', goesOn: false },
  { label: '$play.scheduledFor', detail: 'slot of the schedule', goesOn: false },
  { label: '$play.acceptedAt', detail: 'when it was accepted', goesOn: false },
  { label: '$play.labels', detail: 'labels of the play', goesOn: true },
  { label: '$flow.name', detail: 'name of the flow', goesOn: false },
  { label: '$flow.id', detail: 'id of the flow', goesOn: false },
  { label: '$flow.key', detail: 'key of the flow', goesOn: false },
  { label: '$flow.version', detail: 'version that runs', goesOn: false },
  { label: '$company.name', detail: 'name of the company', goesOn: false },
];
const LOOP_ROOTS: readonly Suggestion[] = [
  { label: '$item', detail: 'the item of the loop', goesOn: true },
  { label: '$index', detail: 'its place, from 0', goesOn: false },
];

/**
 * @param before the text up to the cursor
 * @param isProgram all of it is an expression, not only what is in braces
 * @returns null where no expression is written
 */
export function suggestionsAt(known: Known, before: string, isProgram = false): Suggestions | null {
  const open = before.lastIndexOf('{{');
  if (!isProgram && (open === -1 || before.includes('}}', open))) return null;
  const inside = isProgram ? before : before.slice(open + 2);
  const chain = CHAIN.exec(inside)?.[0] ?? '';
  const lastDot = chain.lastIndexOf('.');
  const part = chain.slice(lastDot + 1);
  const from = before.length - part.length;
  if (lastDot === -1) {
    const mayFail = known.refs.some((each) => each.mayFail);
    const roots = [...(known.isLoop ? LOOP_ROOTS : []), ...ROOTS, ...(mayFail ? [ERRORS] : [])];
    const refs = known.refs.map((each) => ({ ...refSuggestion(each), label: `.${nameText(each.ref)}` }));
    return { from, options: [...refs, { ...ARGS, label: '$prev.args' }, ...roots] };
  }
  const path = pathOf(chain.slice(0, lastDot));
  return path && { from, options: nextOf(known, path).slice(0, MAX_SUGGESTIONS) };
}

const ARGS: Suggestion = { label: 'args', detail: 'arguments of the run', goesOn: true };

function nextOf(known: Known, path: Path): readonly Suggestion[] {
  if (path.length === 0) return known.refs.map(refSuggestion);
  if (path.length === 1 && path[0] === '$prev') return [ARGS, ...known.refs.map(refSuggestion)];
  if (path[0] === '$errors') return errorsNext(known, path);
  const found = valueAt(known, path);
  const seen = found.state === 'value' && isBranch(found.value) ? entriesOf(found.value) : [];
  const ofValue = seen.flatMap(([key, value]) => (typeof key === 'string' ? [seenSuggestion(key, value)] : []));
  const described = describedAt(known, path).filter(({ label }) => !ofValue.some((each) => each.label === label));
  return [...ofValue, ...described];
}

function seenSuggestion(key: string, value: unknown): Suggestion {
  const detail = previewOf(value, isBranch(value) ? entriesOf(value).length : null).slice(0, 60);
  return { label: nameText(key), detail, goesOn: isBranch(value) };
}

/** What the schemas of args and outputs say of a place, to any depth. */
function describedAt({ refs, argsShape }: Known, path: Path): readonly Suggestion[] {
  const [ref, ...rest] = path[0] === '$prev' ? path.slice(1) : path;
  const isArgs = path[0] === '$prev' && ref === 'args';
  const shape = isArgs ? argsShape : refs.find((each) => each.ref === ref)?.shape;
  const schema = shape && schemaAt(shape, rest);
  if (!schema) return [];
  const { $defs } = shape;
  return Object.entries(propertiesOf(schema, $defs)).map(([name, each]) => {
    const { options } = alternativesOf(each, $defs);
    const types = [...new Set(options.map((option) => option.schema.type))].filter((type) => typeof type === 'string');
    return {
      label: nameText(name),
      detail: types.join(' or '),
      goesOn: types.length === 0 || types.some((type) => type === 'object' || type === 'array'),
    };
  });
}

function errorsNext({ refs }: Known, path: Path): readonly Suggestion[] {
  if (path.length > 1) return path.length === 2 ? ERROR_FIELDS : [];
  return refs
    .filter(({ mayFail }) => mayFail)
    .map((each) => ({ ...refSuggestion(each), detail: 'its error, or null' }));
}

function refSuggestion({ ref, name }: KnownRef): Suggestion {
  return { label: nameText(ref), detail: name === ref ? 'output' : name, goesOn: true };
}

const nameText = (name: string): string => pathText([name]).slice(1);

/** Of `.fetch.json.items[0]`: a path begins with the ref, or with the variable. Null for what is no path. */
function pathOf(text: string): Path | null {
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
  /** The play has no such field. */
  | { readonly state: 'missing'; readonly path: string }
  /** Only the server can say. */
  | { readonly state: 'computed' }
  | { readonly state: 'unknown' };

const PATH =
  /^\s*((?:\.|\$prev\.)(?:[\w\-.[\]$]|`[^`]*`)+)\s*(?:\?\?\s*("[^"]*"|-?\d+(?:\.\d+)?|true|false|null))?\s*$/;
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

function valueAt(known: Known, path: Path): Preview {
  const whole = path[0] === '$prev' ? path.slice(1) : path;
  const [root, ...rest] = whole;
  if (root === undefined || (path[0] !== '$prev' && String(root).startsWith('$'))) return { state: 'unknown' };
  const isArgs = path[0] === '$prev' && root === 'args';
  if (isArgs ? known.args === undefined : !known.outs.has(String(root))) return { state: 'unknown' };
  let value: unknown = isArgs ? known.args : known.outs.get(String(root));
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
