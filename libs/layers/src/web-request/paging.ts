/** The pages of an answer: where the next one is, and what may be sent there. docs/layers.md "Pages". */
import { mayCrossOrigins } from '@weft/egress';
import { isTruthy } from '@weft/expressions';
import { LayerFailure, type Output, type Paging } from '../layer-module.js';
import type { WebRequestArgs } from './args.js';
import { nextLink } from './link-header.js';

const MAX_CURSOR_CHARS = 16_384;

type Cursor = NonNullable<NonNullable<WebRequestArgs['paginate']>['cursor']>;

export const webPaging: Paging<WebRequestArgs> = {
  option: 'paginate',
  expressions: [{ path: 'next' }, { path: 'cursor.from' }, { path: 'until', isCondition: true }],

  most: ({ paginate }) => paginate?.maxPages ?? null,

  // a header may hold a token that was renewed since: only that of the cursor tells pages apart
  identityOf({ method, url, query, headers, body = null, paginate }) {
    const header = paginate?.cursor?.header;
    return [method, url, query, body, header === undefined ? null : (headers[header] ?? null)];
  },

  pageOf({ statusCode, headers, json, body }) {
    if (json === null && !(typeof body === 'string' && ['', 'null'].includes(body.trim()))) {
      throw new LayerFailure(
        'invalid_output',
        'the answer is not JSON, or nested too deep: pages are kept as JSON only',
      );
    }
    return { statusCode, headers, json };
  },

  following(first, args, page, found) {
    const { paginate } = first;
    if (!paginate || isTruthy(found.until)) return null;
    if (paginate.cursor) return withCursor(first, paginate.cursor, found['cursor.from']);
    const next = paginate.link ? nextLink((page.headers as WebRequestHeaders).link) : found.next;
    return isNothing(next) ? null : at(first, args, next);
  },
};

type WebRequestHeaders = Readonly<Record<string, string | undefined>>;

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === false;
}

/** The page at this address, which the peer names: what the user wrote for one origin goes to no other one. */
function at(first: WebRequestArgs, args: WebRequestArgs, next: unknown): WebRequestArgs {
  if (typeof next !== 'string') throw noNext(`it is not a text (${typeof next})`);
  const own = URL.parse(first.url);
  const url = next.length > MAX_CURSOR_CHARS ? null : URL.parse(next, args.url);
  if (!url) throw noNext('it cannot be read');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw noNext(`${url.protocol} may not be called`);
  const isOwn = url.origin === own?.origin;
  // a login in the address of the layer is the user's, one in that of the peer is not
  url.username = isOwn ? own.username : '';
  url.password = isOwn ? own.password : '';
  // the part after # is not sent
  url.hash = '';
  const followed: WebRequestArgs = { ...first, url: url.href, query: {} };
  if (isOwn) return followed;
  const where = `the next page is at another origin (${url.origin})`;
  if (first.auth) throw refused(`${where}, to which the credentials of the link are not sent`);
  if (first.body !== undefined && first.body !== null) throw refused(`${where}, to which the body is not sent`);
  const headers = Object.fromEntries(Object.entries(first.headers).filter(([name]) => mayCrossOrigins(name)));
  return { ...followed, headers };
}

function withCursor(first: WebRequestArgs, cursor: Cursor, value: unknown): WebRequestArgs | null {
  if (isNothing(value)) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && value !== true) {
    throw new LayerFailure(
      'invalid_args',
      'paginate.cursor.from must give a text or a number, or null after the last page',
    );
  }
  if (String(value).length > MAX_CURSOR_CHARS) {
    throw new LayerFailure('invalid_args', `the cursor is longer than ${MAX_CURSOR_CHARS} characters`);
  }
  const { param, header, field } = cursor;
  if (header !== undefined)
    return { ...first, headers: { ...withoutName(first.headers, header), [header]: String(value) } };
  if (field !== undefined) return { ...first, body: withField(first.body ?? {}, field.split('.'), value, field) };
  const name = param ?? '';
  return { ...first, url: withoutParameter(first.url, name), query: { ...first.query, [name]: String(value) } };
}

function withoutName(headers: WebRequestArgs['headers'], header: string): WebRequestArgs['headers'] {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== header.toLowerCase());
  return Object.fromEntries(others);
}

function withoutParameter(address: string, name: string): string {
  const url = URL.parse(address);
  if (!url?.searchParams.has(name)) return address;
  url.searchParams.delete(name);
  return url.href;
}

/** A copy of the body with this value in it. */
function withField(body: unknown, path: readonly string[], value: unknown, field: string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new LayerFailure('invalid_args', `paginate.cursor.field: the body has no place for "${field}"`);
  }
  const before = Object.hasOwn(body, name) ? (body as Output)[name] : undefined;
  return { ...body, [name]: withField(rest.length > 0 ? (before ?? {}) : before, rest, value, field) };
}

function noNext(why: string): LayerFailure {
  return new LayerFailure('invalid_args', `the address of the next page is of no use: ${why}`);
}

function refused(message: string): LayerFailure {
  return new LayerFailure('destination_blocked', message);
}
