/** The variables of expressions, for plain paths and richer expressions. */
import { nearestNames } from './nearest-names.js';

export const VARIABLES: readonly string[] = ['prev', 'errors', 'blueprint', 'play', 'flow', 'company', 'item', 'index'];
/** What a failed layer left: `$errors.<ref>.<field>`. */
const ERROR_FIELDS: readonly string[] = ['code', 'message', 'attempts', 'statusCode', 'item'];
/** Of the expressions that decide on the next page of an answer. */
export const PAGE_VARIABLES: readonly string[] = [...VARIABLES, 'page'];
/** Of the args of a layer that repeats, and of its `until`. */
export const REPEAT_VARIABLES: readonly string[] = [...VARIABLES, 'repeat'];
const FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  page: ['statusCode', 'headers', 'json', 'index'],
  repeat: ['index', 'out'],
};
/** Of the expressions of a trigger: they are evaluated when a delivery arrives, before there is a play. */
export const TRIGGER_VARIABLES: readonly string[] = ['hook', 'flow'];

/** Of these only one field may be read; the objects in the scope may have more. */
const ONLY_FIELD: Readonly<Partial<Record<string, string>>> = { play: 'id', flow: 'name', company: 'name' };
/** A further field of a play, with names below it: `$play.approvals.<ref>.url`. */
const APPROVALS = 'approvals';

/**
 * Why a variable cannot be read like that; null when it can.
 *
 * @param names the plain fields after it
 * @param parts how many parts follow it altogether
 */
export function checkVariable(name: string, names: readonly unknown[], parts: number): string | null {
  if (name === 'prev' && typeof names[0] !== 'string') return '$prev is followed by the ref of a layer, or by args';
  if (name === 'errors') return checkError(names);
  if (name === 'play' && names[0] === APPROVALS) {
    return typeof names[1] === 'string' ? null : '$play.approvals is followed by the ref of an approval, and by .url';
  }
  const known = FIELDS[name];
  if (known && typeof names[0] === 'string' && !known.includes(names[0])) return unknownField(name, names[0], known);
  const field = ONLY_FIELD[name];
  if (field !== undefined && (parts !== 1 || names[0] !== field)) return `of $${name} there is only $${name}.${field}`;
  return name === 'index' && parts > 0 ? '$index is a number and has no fields' : null;
}

function checkError([ref, field]: readonly unknown[]): string | null {
  if (typeof ref !== 'string') return '$errors is followed by the ref of a layer, and by the field of its error';
  if (field === undefined) return null;
  const name = typeof field === 'string' ? field.slice(0, 64) : 'of that kind';
  return ERROR_FIELDS.includes(name) ? null : `an error has no field ${name}; ${instead(name, ERROR_FIELDS)}`;
}

function unknownField(variable: string, field: string, known: readonly string[]): string {
  return `$${variable} has no field ${field.slice(0, 64)}; ${instead(field, known)}`;
}

function instead(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${known.join(', ')}`;
}

/** @param variables that can be read here @param functions that may be called here */
export function unknownVariable(
  name: string | null,
  variables: readonly string[],
  functions: readonly string[] = [],
): string {
  const near = name === null ? [] : nearestNames(name, [...variables, ...functions]);
  const known = (near.length > 0 ? near : variables).map((variable) => `$${variable}`).join(', ');
  return `there is no $${name ?? ''}; ${near.length > 0 ? 'did you mean' : 'there are'} ${known}`;
}
