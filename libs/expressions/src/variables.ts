/** The variables of expressions, for plain paths and richer expressions. */
import { editDistance, nearestNames } from './nearest-names.js';

export const VARIABLES: readonly string[] = ['prev', 'errors', 'blueprint', 'play', 'flow', 'company', 'item', 'index'];
/** What a failed layer left: `$errors.<ref>.<field>`. */
const ERROR_FIELDS: readonly string[] = ['code', 'message', 'attempts', 'statusCode', 'item'];
/** Of the expressions that decide on the next page of an answer. */
export const PAGE_VARIABLES: readonly string[] = [...VARIABLES, 'page'];
/** Of the args of a layer that repeats, and of its `until`. */
export const REPEAT_VARIABLES: readonly string[] = [...VARIABLES, 'repeat'];
/** Fields that may have fields of their own. */
const DEEP_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  page: ['statusCode', 'headers', 'json', 'index'],
  repeat: ['index', 'out'],
};
/** Of the expressions of a trigger: they are evaluated when a delivery arrives, before there is a play. */
export const TRIGGER_VARIABLES: readonly string[] = ['hook', 'flow'];
/** Of the expressions of a trigger that reads a queue. */
export const SOURCE_VARIABLES: readonly string[] = ['message', 'flow'];

/** Fields of the integration link of a layer: `$link.<field>`. Which of them a link has depends on its kind. */
export const LINK_FIELDS = ['access_token', 'username', 'password'] as const;
export type LinkField = (typeof LINK_FIELDS)[number];
/** Read by plain paths alone, and only where `compile` is asked to: what it stands for must not be computed with. */
export const LINK = 'link';

/** Of these only some fields may be read; the objects in the scope may have more. */
const FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  play: ['id', 'trigger', 'idempotencyKey', 'scheduledFor', 'acceptedAt'],
  flow: ['id', 'name', 'key', 'version'],
  company: ['name'],
  [LINK]: LINK_FIELDS,
};
/** Further fields of a play, with names below them: `$play.approvals.<ref>.url`, `$play.events.<ref>.url`, `$play.labels.<key>`. */
const APPROVALS = 'approvals';
const EVENTS = 'events';
const LABELS = 'labels';

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
  if (name === 'play' && names[0] === EVENTS) {
    return typeof names[1] === 'string'
      ? null
      : '$play.events is followed by the ref of a wait-event layer, and by .url';
  }
  if (name === 'play' && names[0] === LABELS && parts <= 2) return null;
  const deep = DEEP_FIELDS[name];
  if (deep && typeof names[0] === 'string' && !deep.includes(names[0]))
    return `$${name} has no field ${names[0].slice(0, 64)}; ${instead(names[0], deep)}`;
  const fields = FIELDS[name];
  if (fields && (parts !== 1 || !fields.includes(String(names[0])))) return unknownField(name, fields, names[0]);
  return name === 'index' && parts > 0 ? '$index is a number and has no fields' : null;
}

function unknownField(name: string, fields: readonly string[], given: unknown): string {
  const all = [...fields.map((field) => `$${name}.${field}`), ...(name === 'play' ? MORE_OF_PLAY : [])];
  const known = [...fields, ...(name === 'play' ? [APPROVALS, EVENTS, LABELS] : [])];
  const near = typeof given === 'string' && !known.includes(given) ? nearestNames(given, known) : [];
  if (near.length > 0) return `there is no $${name}.${String(given).slice(0, 64)}; did you mean ${near.join(' or ')}?`;
  return `of $${name} there ${all.length === 1 ? 'is only' : 'are'} ${all.join(', ')}`;
}

const MORE_OF_PLAY = [`$play.${LABELS}.<key>`, `$play.${APPROVALS}.<ref>.url`, `$play.${EVENTS}.<ref>.url`];

function checkError([ref, field]: readonly unknown[]): string | null {
  if (typeof ref !== 'string') return '$errors is followed by the ref of a layer, and by the field of its error';
  if (field === undefined) return null;
  const name = typeof field === 'string' ? field.slice(0, 64) : 'of that kind';
  return ERROR_FIELDS.includes(name) ? null : `an error has no field ${name}; ${instead(name, ERROR_FIELDS)}`;
}

function instead(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${known.join(', ')}`;
}

/** The functions that a call may have meant; as many as one looks through. */
export function unknownFunction(name: string, functions: readonly string[]): string {
  const near = nearestNames(name, functions);
  if (near.length > 0)
    return `there is no function $${name}; did you mean ${near.map((each) => `$${each}`).join(', ')}?`;
  const nearest = functions
    .map((each) => ({ each, distance: editDistance(name.slice(0, 64).toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_FUNCTIONS)
    .map(({ each }) => `$${each}`);
  return `there is no function $${name.slice(0, 64)}; the nearest names are ${nearest.join(', ')}, and docs.jsonata.org has all`;
}

const MAX_FUNCTIONS = 5;

const LINK_PLACES =
  `$link may be read in header values and query values of a web-request that names its link in auth, and nowhere else: ` +
  `as {{ $link.<field> }} by itself, not within a computation; its fields are ${LINK_FIELDS.join(', ')}`;

/** @param variables that can be read here @param functions that may be called here */
export function unknownVariable(
  name: string | null,
  variables: readonly string[],
  functions: readonly string[] = [],
): string {
  if (name === LINK) return LINK_PLACES;
  const near = name === null ? [] : nearestNames(name, [...variables, ...functions]);
  const known = (near.length > 0 ? near : variables).map((variable) => `$${variable}`).join(', ');
  return `there is no $${name ?? ''}; ${near.length > 0 ? 'did you mean' : 'there are'} ${known}`;
}
