import type { JsonObject } from '../json.js';
import { isObject, listOf, own, textOf } from '../json.js';
import { partsOf } from '../schema/fields.js';
import type { ReadParameter } from './parameters.js';
import type { Paging } from './plan.js';

/** Parameters that take a cursor, and where answers have the next one. */
const CURSOR_PARAMS = [
  'cursor',
  'page_token',
  'pageToken',
  'starting_after',
  'after',
  'next_token',
  'nextToken',
  'marker',
];
const CURSORS = [
  ['next_cursor'],
  ['nextCursor'],
  ['next_page_token'],
  ['nextPageToken'],
  ['next_token'],
  ['nextToken'],
  ['next_marker'],
  ['response_metadata', 'next_cursor'],
  ['meta', 'next_cursor'],
  ['pagination', 'next_cursor'],
  ['paging', 'next', 'after'],
];
/** Where answers have the address of the next page. */
const ADDRESSES = [
  ['next_page_uri'],
  ['next_page_url'],
  ['nextLink'],
  ['@odata.nextLink'],
  ['next'],
  ['links', 'next'],
  ['links', 'pages', 'next'],
];

/** Parameters that take the number of a page, of the first element, and how many elements a page has. */
const PAGE_PARAMS = ['page', 'page_number', 'pageNumber', 'page_no', 'p'];
const OFFSET_PARAMS = ['offset', 'skip', 'start', 'startAt', 'start_at', '$skip'];
const SIZE_PARAMS = [
  'limit',
  'per_page',
  'perPage',
  'page_size',
  'pageSize',
  'maxResults',
  'max_results',
  'count',
  '$top',
];
/** Where answers have their elements, if they are not a list. */
const LISTS = ['data', 'items', 'results', 'records', 'entries', 'values', 'value'];
/** Choices within choices that are looked through for a field. */
const MOST_CHOICES = 50;

/**
 * How the answers of an operation go on, where its document says so. It is only a proposal for people.
 *
 * @param operation as in the document: `x-weft-paginate` counts most
 * @param out schema of a successful body, and the definitions that it refers to
 */
export function proposePaging(
  operation: JsonObject,
  method: string,
  parameters: readonly ReadParameter[],
  out: Answer & { readonly hasLink: boolean },
): Paging | null {
  const stated = statedPaging(own(operation, 'x-weft-paginate'));
  if (stated) return stated;
  if (method !== 'GET') return null;
  if (out.hasLink) return { link: true };
  const query = parameters.filter(({ parameter }) => parameter.in === 'query');
  const named = (names: readonly string[]): ReadParameter | undefined =>
    query.find(({ parameter }) => names.includes(parameter.name));
  const has = (path: readonly string[]): boolean => fieldAt(out, path) !== undefined;
  const param = named(CURSOR_PARAMS)?.parameter.name;
  const from = param === undefined ? undefined : CURSORS.find(has);
  if (param !== undefined && from) return { cursor: { from: `{{ ${onPage(from)} }}`, param } };
  const address = ADDRESSES.find(has);
  if (address) return { next: `{{ ${onPage(address)} }}` };
  const list = listIn(out);
  if (list === null) return null;
  if (param === 'starting_after' && has(['has_more'])) {
    return { cursor: { from: `{{ $page.json.has_more ? ${list}[-1].id : null }}`, param } };
  }
  return numbered(list, named(PAGE_PARAMS)) ?? counted(list, named(OFFSET_PARAMS), named(SIZE_PARAMS));
}

interface Answer {
  readonly body: JsonObject;
  readonly defs: JsonObject;
}

/** Pages by their number: after one without elements there is none. */
function numbered(list: string, page: ReadParameter | undefined): Paging | null {
  if (!page) return null;
  const first = boundOf(page, ['default', 'minimum']) ?? 1;
  if (first !== 0 && first !== 1) return null;
  const from = `{{ $page.index + ${first + 1} }}`;
  return { cursor: { from, param: page.parameter.name }, until: `{{ $count(${list}) = 0 }}` };
}

/** Pages by the place of their first element: one with fewer elements than asked for is the last one. */
function counted(list: string, offset: ReadParameter | undefined, size: ReadParameter | undefined): Paging | null {
  if (!offset || !size) return null;
  const value = boundOf(size, ['maximum', 'default']);
  if (value === null || value < 1 || value > MAX_SIZE) return null;
  return {
    cursor: { from: `{{ ($page.index + 1) * ${value} }}`, param: offset.parameter.name },
    until: `{{ $count(${list}) < ${value} }}`,
    size: { param: size.parameter.name, value },
  };
}

const MAX_SIZE = 10_000;

function boundOf({ schema: { schema } }: ReadParameter, names: readonly string[]): number | null {
  return (
    (names.map((name) => own(schema, name)).find((each) => Number.isSafeInteger(each)) as number | undefined) ?? null
  );
}

/** The elements of an answer: the answer, its only list, or the one with a usual name. */
function listIn({ body, defs }: Answer): string | null {
  const isList = (schema: JsonObject): boolean =>
    choicesOf(schema, defs).some((each) => typesOf(each).includes('array'));
  if (isList(body)) return '$page.json';
  const lists = choicesOf(body, defs).flatMap((each) =>
    Object.entries((own(each, 'properties') ?? {}) as JsonObject).flatMap(([name, field]) =>
      isObject(field) && isList(field) ? [name] : [],
    ),
  );
  const name = LISTS.find((each) => lists.includes(each)) ?? (lists.length === 1 ? lists[0] : undefined);
  // a name in brackets is a filter where an expression is more than a path
  return name !== undefined && PLAIN.test(name) ? onPage([name]) : null;
}

function typesOf(schema: JsonObject): readonly unknown[] {
  const type = own(schema, 'type');
  return typeof type === 'string' ? [type] : listOf(type);
}

function statedPaging(stated: unknown): Paging | null {
  if (own(stated, 'link') === true) return { link: true };
  const next = textOf(stated, 'next');
  if (next !== undefined) return { next };
  const cursor = own(stated, 'cursor');
  const [from, param] = [textOf(cursor, 'from'), textOf(cursor, 'param')];
  const until = textOf(stated, 'until');
  if (from === undefined || param === undefined) return null;
  return { cursor: { from, param }, ...(until !== undefined && { until }) };
}

function fieldAt({ body, defs }: Answer, path: readonly string[]): JsonObject | undefined {
  let at: JsonObject | undefined = body;
  for (const name of path) at = at && fieldOfChoice(at, name, defs);
  return at;
}

/** Unlike `fieldNamed` also a field that only some of the choices have. */
function fieldOfChoice(schema: JsonObject, name: string, defs: JsonObject): JsonObject | undefined {
  return choicesOf(schema, defs)
    .map((each) => own(own(each, 'properties'), name))
    .find(isObject);
}

/** A kept schema, what it consists of, and each of its choices. */
function choicesOf(schema: JsonObject, defs: JsonObject): readonly JsonObject[] {
  const all = new Set<JsonObject>();
  const look = (node: unknown): void => {
    if (!isObject(node) || all.has(node) || all.size >= MOST_CHOICES) return;
    for (const part of partsOf(node, defs)) {
      if (all.has(part) || all.size >= MOST_CHOICES) continue;
      all.add(part);
      for (const choice of [...listOf(own(part, 'anyOf')), ...listOf(own(part, 'oneOf'))]) look(choice);
    }
  };
  look(schema);
  return [...all];
}

const PLAIN = /^[A-Za-z_]\w*$/;

function onPage(path: readonly string[]): string {
  return `$page.json${path.map((name) => (PLAIN.test(name) ? `.${name}` : `['${name}']`)).join('')}`;
}
