/** The pages of an answer: where the next one is, and what may be sent there. docs/layers.md "Pages". */
import { mayCrossOrigins } from '@weft/egress';
import { isTruthy } from '@weft/expressions';
import { LayerFailure, type Output, type Paging } from '../../layer-module.js';
import type { WebRequestArgs } from './args.js';
import { withoutMarks } from '../../call/link-marks.js';
import { withoutParameter } from '../../call/query-text.js';
import { markedQuery } from './link-fields.js';
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
    // stored as a digest, which other processes compare
    return withoutMarks([method, url, query, body, header === undefined ? null : (headers[header] ?? null)]);
  },

  pageOf({ statusCode, headers, json, body, url }) {
    if (json === null && !(typeof body === 'string' && ['', 'null'].includes(body.trim()))) {
      throw new LayerFailure(
        'invalid_output',
        'the answer is not JSON, or nested too deep: pages are kept as JSON only',
      );
    }
    return { statusCode, headers, json, ...(url !== undefined && { url }) };
  },

  following(first, args, page, found) {
    const { paginate } = first;
    if (!paginate || isTruthy(found.until)) return null;
    if (paginate.cursor) return withCursor(first, paginate.cursor, found['cursor.from']);
    const next = paginate.link ? nextLink((page.headers as WebRequestHeaders).link) : found.next;
    return isNothing(next) ? null : at(first, next, whereFrom(first, args, page));
  },
};

type WebRequestHeaders = Readonly<Record<string, string | undefined>>;

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === false;
}

/** The arguments for a page at an address of the peer. */
type FollowedArgs = WebRequestArgs & {
  /** This page, or one before it, came from another origin, which may have chosen the address of each later one. */
  readonly hasStrayed?: boolean;
};

interface Whence {
  /** Where the page came from. */
  readonly base: string;
  readonly hasStrayed: boolean;
}

function whereFrom(first: WebRequestArgs, args: FollowedArgs, page: Output): Whence {
  const base = typeof page.url === 'string' ? page.url : args.url;
  return { base, hasStrayed: args.hasStrayed === true || !isOwn(URL.parse(base), URL.parse(first.url)) };
}

/** The same origin, or the same host by https instead of http, both at their usual ports. */
function isOwn(url: URL | null, own: URL | null): url is URL {
  if (!url || !own) return false;
  if (url.origin === own.origin) return true;
  const [before, after] = [own, url].map(({ protocol, port }) => `${protocol}${port}`);
  return url.hostname === own.hostname && before === 'http:' && after === 'https:';
}

/** The page at this address, which the peer names: what the user wrote for one origin goes to no other one. */
function at(first: WebRequestArgs, next: unknown, { base, hasStrayed }: Whence): FollowedArgs {
  if (typeof next !== 'string') throw noNext(`it is not a text (${typeof next})`);
  const own = URL.parse(first.url);
  const url = next.length > MAX_CURSOR_CHARS ? null : URL.parse(next, base);
  if (!url) throw noNext('it cannot be read');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw noNext(`${url.protocol} may not be called`);
  const isTrusted = !hasStrayed && isOwn(url, own);
  // a login in the address of the layer is the user's, one in that of the peer is not
  url.username = isTrusted ? (own?.username ?? '') : '';
  url.password = isTrusted ? (own?.password ?? '') : '';
  // the part after # is not sent
  url.hash = '';
  // a peer repeats a secret as it was masked, or not at all
  const query = isTrusted ? markedQuery(first.query) : {};
  const followed: WebRequestArgs = { ...first, url: Object.keys(query).reduce(withoutParameter, url.href), query };
  return isTrusted ? followed : { ...withoutTrust(followed, hasStrayed ? 'chosen by' : 'at'), hasStrayed: true };
}

/** The same request with nothing that is meant for the origin of the layer. */
function withoutTrust(args: WebRequestArgs, how: 'at' | 'chosen by'): WebRequestArgs {
  const where = `the next page (${new URL(args.url).origin}) is ${how} another origin`;
  if (args.auth) throw refused(`${where}, to which the credentials of the link are not sent`);
  if (args.body !== undefined && args.body !== null) throw refused(`${where}, to which the body is not sent`);
  if (args.method !== 'GET' && args.method !== 'HEAD') throw refused(`${where}, to which no ${args.method} is sent`);
  const headers = Object.fromEntries(Object.entries(args.headers).filter(([name]) => mayCrossOrigins(name)));
  return { ...args, headers };
}

function withCursor(first: WebRequestArgs, cursor: Cursor, value: unknown): WebRequestArgs | null {
  if (isNothing(value)) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint' && value !== true) {
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
