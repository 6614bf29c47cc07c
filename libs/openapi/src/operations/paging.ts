import type { JsonObject } from '../json.js';
import { isObject, own, textOf } from '../json.js';
import { fieldNamed } from '../schema/fields.js';
import type { Paging, Parameter } from './plan.js';

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

/**
 * How the answers of an operation go on, where its document says so. It is only a proposal for people.
 *
 * @param operation as in the document: `x-weft-paginate` counts most
 * @param out schema of a successful body, and the definitions that it refers to
 */
export function proposePaging(
  operation: JsonObject,
  method: string,
  params: readonly Parameter[],
  out: { readonly body: JsonObject; readonly defs: JsonObject; readonly hasLink: boolean },
): Paging | null {
  const stated = statedPaging(own(operation, 'x-weft-paginate'));
  if (stated) return stated;
  if (method !== 'GET') return null;
  if (out.hasLink) return { link: true };
  const has = (path: readonly string[]): boolean => hasField(out.body, path, out.defs);
  const param = params.find((each) => each.in === 'query' && CURSOR_PARAMS.includes(each.name))?.name;
  const from = param === undefined ? undefined : CURSORS.find(has);
  if (param !== undefined && from) return { cursor: { from: onPage(from), param } };
  const address = ADDRESSES.find(has);
  return address ? { next: onPage(address) } : null;
}

function statedPaging(stated: unknown): Paging | null {
  if (own(stated, 'link') === true) return { link: true };
  const next = textOf(stated, 'next');
  if (next !== undefined) return { next };
  const cursor = own(stated, 'cursor');
  const [from, param] = [textOf(cursor, 'from'), textOf(cursor, 'param')];
  return from !== undefined && param !== undefined ? { cursor: { from, param } } : null;
}

function hasField(schema: JsonObject, path: readonly string[], defs: JsonObject): boolean {
  let at: unknown = schema;
  for (const name of path) at = isObject(at) ? fieldNamed(at, name, defs) : undefined;
  return at !== undefined;
}

function onPage(path: readonly string[]): string {
  const steps = path.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`)).join('');
  return `{{ $page.json${steps} }}`;
}
