/** What may come next in an expression that a person writes. Pure. */
import { entriesOf, isBranch, pathText, previewOf } from '../values/tree-model';
import { inJsonata, pathOf, placeOf, valueAt, type Known, type KnownRef, type Path } from './expression';
import { alternativesOf, propertiesOf, schemaAt, type Schema } from './schema-reading';

interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** Whether more can follow. */
  readonly goesOn: boolean;
}

interface Suggestions {
  /** Where the part begins that is being written. */
  readonly from: number;
  /** The likeliest first. */
  readonly options: readonly Suggestion[];
  /** Each takes the place of what is written from there on, whatever that is. */
  readonly isWhole?: true;
}

/** What the error of a layer has: `$errors.<ref>.<field>`. */
const ERROR_FIELDS: readonly Suggestion[] = [
  { label: 'code', detail: 'code of the failure', goesOn: false },
  { label: 'message', detail: 'what went wrong', goesOn: false },
  { label: 'attempts', detail: 'calls that were made', goesOn: false },
  { label: 'statusCode', detail: 'status of the answer', goesOn: false },
  { label: 'item', detail: 'place of the failed item, from 0', goesOn: false },
];
const ERRORS: Suggestion = { label: '$errors', detail: 'errors of layers that may fail', goesOn: true };

/** What is being written of a path; a bracket before it begins a list or a condition. */
const CHAIN = /(?:[$.\w\-`][$.\w\-`[\]]*)?$/;
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

/**
 * @param before the text up to the cursor
 * @param isProgram all of it is an expression, not only what is in braces
 * @returns null where no expression is written
 */
export function suggestionsAt(known: Known, before: string, isProgram = false): Suggestions | null {
  const found = anySuggestionsAt(known, before, isProgram);
  if (!found || !isProgram) return found;
  return {
    ...found,
    options: found.options.map((each) => ({ ...each, label: inJsonata(each.label.replace(/^\./, '$prev.')) })),
  };
}

function anySuggestionsAt(known: Known, before: string, isProgram: boolean): Suggestions | null {
  const open = before.lastIndexOf('{{');
  if (!isProgram && (open === -1 || before.includes('}}', open))) return null;
  const inside = isProgram ? before : before.slice(open + 2);
  const chain = CHAIN.exec(inside)?.[0] ?? '';
  const bracket = /\[\d*$/.exec(chain);
  if (bracket) {
    const items = itemsOf(known, pathOf(chain.slice(0, bracket.index)));
    return items && { from: before.length - bracket[0].length, options: items, isWhole: true };
  }
  const condition = isProgram ? /\[[A-Za-z_]\w*$/.exec(chain) : null;
  if (condition) {
    const list = pathOf(chain.slice(0, condition.index));
    return list && { from: before.length - condition[0].length + 1, options: nextOf(known, [...list, 0]) };
  }
  const lastDot = chain.lastIndexOf('.');
  const part = chain.slice(lastDot + 1);
  const from = before.length - part.length;
  if (lastDot === -1) return { from, options: rootsOf(known) };
  const path = pathOf(chain.slice(0, lastDot));
  const items = part === '' ? itemsOf(known, path) : null;
  if (items) return { from: from - 1, options: items, isWhole: true };
  return path && { from, options: byUse(known, path, nextOf(known, path)).slice(0, MAX_SUGGESTIONS) };
}

/** What a list offers: its first item, and what that has. Null: it is no list. */
function itemsOf(known: Known, path: Path | null): readonly Suggestion[] | null {
  const found = path && valueAt(known, path);
  const isKnown = found?.state === 'value';
  if (!path || (isKnown && !Array.isArray(found.value))) return null;
  if (!isKnown && !schemaOf(known, path).some(({ schema }) => isList(schema))) return null;
  const first = [...path, 0];
  const value = isKnown ? (found.value as readonly unknown[])[0] : undefined;
  const detail = value === undefined ? 'the first item' : detailOf(value);
  const inside = byUse(known, first, nextOf(known, first)).map((each) => ({ ...each, label: `[0].${each.label}` }));
  return [{ label: '[0]', detail, goesOn: true }, ...inside].slice(0, MAX_SUGGESTIONS);
}

/** Variables of this layer first, then the layers before it from the nearest on. */
function rootsOf(known: Known): readonly Suggestion[] {
  const variables = [...known.variables].map(([label, { says, shape, value }]) => ({
    label,
    detail: value === undefined ? says : detailOf(value),
    goesOn: isBranch(value) || Object.keys(shape).length > 0,
  }));
  // of a delivery, nothing else is known yet
  if (known.variables.has('$hook')) return variables;
  const refs = known.refs.toReversed().map((each) => ({ ...refSuggestion(each), label: `.${nameText(each.ref)}` }));
  const mayFail = known.refs.some((each) => each.mayFail);
  const used = byUse(known, [], [...refs, { ...ARGS, label: '$prev.args' }]);
  return [...variables, ...used, ...ROOTS, ...(mayFail ? [ERRORS] : [])];
}

/** Those that the flow reads already come first, the most read of them before the others. */
function byUse(known: Known, path: Path, all: readonly Suggestion[]): readonly Suggestion[] {
  const at = placeOf(path);
  const uses = ({ label }: Suggestion): number => {
    const name = label.replace(/^\$prev(?=\.)/, '');
    return known.used.get(`${at}${name.startsWith('.') ? '' : '.'}${name}`) ?? 0;
  };
  return all.toSorted((first, second) => uses(second) - uses(first));
}

const ARGS: Suggestion = { label: 'args', detail: 'arguments of the run', goesOn: true };

function nextOf(known: Known, path: Path): readonly Suggestion[] {
  const nearest = known.refs.toReversed().map(refSuggestion);
  if (path.length === 0) return nearest;
  if (path.length === 1 && path[0] === '$prev') return [ARGS, ...nearest];
  if (path[0] === '$errors') return errorsNext(known, path);
  const found = valueAt(known, path);
  const seen = found.state === 'value' && isBranch(found.value) ? entriesOf(found.value) : [];
  const ofValue = seen.flatMap(([key, value]) => (typeof key === 'string' ? [seenSuggestion(key, value)] : []));
  const described = describedAt(known, path).filter(({ label }) => !ofValue.some((each) => each.label === label));
  return [...ofValue, ...described];
}

function seenSuggestion(key: string, value: unknown): Suggestion {
  return { label: nameText(key), detail: detailOf(value), goesOn: isBranch(value) };
}

function detailOf(value: unknown): string {
  return previewOf(value, isBranch(value) ? entriesOf(value).length : null).slice(0, 60);
}

/** What the schemas of args and outputs say of a place, to any depth. */
function describedAt(known: Known, path: Path): readonly Suggestion[] {
  return schemaOf(known, path).flatMap(({ schema, $defs }) =>
    Object.entries(propertiesOf(schema, $defs)).map(([name, each]) => {
      const { options } = alternativesOf(each, $defs);
      const types = [...new Set(options.map((option) => option.schema.type))].filter(
        (type) => typeof type === 'string',
      );
      return {
        label: nameText(name),
        detail: types.join(' or '),
        goesOn: types.length === 0 || types.some((type) => type === 'object' || type === 'array'),
      };
    }),
  );
}

/** Empty where the schemas say nothing of the place. */
function schemaOf({ refs, argsShape, variables }: Known, path: Path): readonly { schema: Schema; $defs: unknown }[] {
  const [root, ...rest] = path[0] === '$prev' ? path.slice(1) : path;
  const variable = path[0] === '$prev' ? undefined : variables.get(String(root));
  const isArgs = path[0] === '$prev' && root === 'args';
  const shape = variable?.shape ?? (isArgs ? argsShape : refs.find((each) => each.ref === root)?.shape);
  const schema = shape && schemaAt(shape, rest);
  return schema ? [{ schema, $defs: shape.$defs }] : [];
}

function isList(schema: Schema): boolean {
  return schema.type === 'array' || schema.items !== undefined;
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
