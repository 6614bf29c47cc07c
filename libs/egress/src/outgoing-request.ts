import { EgressError, type EgressRequest } from './egress-client.js';
import type { OutgoingBody } from './outgoing-body.js';

/** One hop, validated and ready to be sent. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  /** Name, value, name, value…, as undici takes them. */
  readonly headers: readonly string[];
  readonly body: OutgoingBody | null;
}

const MAX_URL_CHARS = 16_384;
const MAX_HEADER_CHARS = 32_768;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const BAD_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const CONTROL = /\p{Cc}/u;

/** They open a tunnel, or make the server echo what it was sent. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** They frame the message or belong to the connection: setting them could smuggle a second request. */
const REFUSED_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

/**
 * Validates a request that a tenant wrote. Throws EgressError: `invalid_args` for what cannot be sent to any server,
 * `destination_blocked` for a scheme other than http and https. Messages quote names, never values.
 */
export function readRequest(request: EgressRequest, userAgent: string): Hop {
  const method = request.method.toUpperCase();
  if (!TOKEN.test(method)) throw invalid('the method is not an HTTP method');
  if (REFUSED_METHODS.has(method)) throw invalid(`the method ${method} may not be used`);
  const url = readUrl(request.url);
  const headers = readHeaders(request.headers, userAgent);
  if (url.username !== '' || url.password !== '') addBasicCredentials(url, headers);
  return { method, url, headers, body: request.body ?? null };
}

function readUrl(text: string): URL {
  if (text.length > MAX_URL_CHARS) throw invalid(`the url is longer than ${MAX_URL_CHARS} characters`);
  // the URL standard drops tabs and line ends silently: a text that has them is a mistake or a forgery
  if (CONTROL.test(text)) throw invalid('the url has control characters');
  const url = URL.parse(text);
  if (!url) throw invalid('the url is not an absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('destination_blocked', `only http and https may be called, not ${url.protocol}`);
  }
  return url;
}

function readHeaders(given: EgressRequest['headers'], userAgent: string): string[] {
  const headers: string[] = [];
  let chars = 0;
  let hasUserAgent = false;
  let hasAccept = false;
  let hasEncoding = false;
  if (given) {
    for (const name of Object.keys(given)) {
      const value = given[name];
      if (value === undefined) continue;
      if (!TOKEN.test(name)) throw invalid('a header has a name that HTTP does not allow');
      if (BAD_HEADER_VALUE.test(value)) throw invalid(`the header ${name} has characters that HTTP does not allow`);
      const lower = name.toLowerCase();
      if (REFUSED_HEADERS.has(lower)) throw invalid(`the header ${name} is set by the connection, not by a request`);
      hasUserAgent ||= lower === 'user-agent';
      hasAccept ||= lower === 'accept';
      hasEncoding ||= lower === 'accept-encoding';
      chars += name.length + value.length;
      headers.push(name, value);
    }
    if (chars > MAX_HEADER_CHARS) throw invalid(`the headers are longer than ${MAX_HEADER_CHARS} characters`);
  }
  if (!hasUserAgent) headers.push('user-agent', userAgent);
  if (!hasAccept) headers.push('accept', '*/*');
  if (!hasEncoding) headers.push('accept-encoding', 'gzip, deflate, br');
  return headers;
}

/** `https://user:password@host/` is sent as Basic authorization, as browsers and curl do. */
function addBasicCredentials(url: URL, headers: string[]): void {
  if (!hasHeader(headers, 'authorization')) {
    const pair = `${decode(url.username)}:${decode(url.password)}`;
    headers.push('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
  }
  url.username = '';
  url.password = '';
}

function hasHeader(headers: readonly string[], name: string): boolean {
  return headers.some((entry, i) => i % 2 === 0 && entry.toLowerCase() === name);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is allowed in a URL and stands for itself
  }
}

function invalid(message: string): EgressError {
  return new EgressError('invalid_args', message);
}
