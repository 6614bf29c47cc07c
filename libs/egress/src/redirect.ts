import { EgressError } from './egress-client.js';
import type { Hop } from './outgoing-request.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Headers that may be sent to another origin: they describe the request and its format. A header of any other name may
 * hold a credential, since every service names its own.
 */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-type',
  'date',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'pragma',
  'prefer',
  'range',
  'soapaction',
  'traceparent',
  'tracestate',
  'user-agent',
]);

const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'content-location',
]);

/** Whether the header may go to another origin than the one that it was written for. */
export function mayCrossOrigins(name: string): boolean {
  return CROSS_ORIGIN_HEADERS.has(name.toLowerCase());
}

/** True for a redirect that can be followed; one without `Location` is a response like any other. */
export function isRedirect(statusCode: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECTS.has(statusCode);
}

/**
 * The next hop, by the rules of the Fetch standard (§4.4): 303 turns every method but HEAD into GET, 301 and 302 turn
 * POST into GET, the others repeat the request. To another origin only headers are sent that cannot hold a credential,
 * and credentials in `Location` are ignored.
 */
export function followRedirect(hop: Hop, statusCode: number, location: string): Hop {
  const url = URL.parse(location, hop.url.href);
  if (!url) throw new EgressError('connect_failed', `${hop.url.host} redirects to something that is not a URL`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError(
      'destination_blocked',
      `${hop.url.host} redirects to ${url.protocol}, which may not be called`,
    );
  }
  url.username = '';
  url.password = '';
  const toGet = statusCode === 303 ? hop.method !== 'HEAD' : statusCode <= 302 && hop.method === 'POST';
  const crosses = url.origin !== hop.url.origin;
  const headers: string[] = [];
  for (let i = 0; i + 1 < hop.headers.length; i += 2) {
    const name = hop.headers[i] as string;
    if (crosses && !mayCrossOrigins(name)) continue;
    if (toGet && BODY_HEADERS.has(name.toLowerCase())) continue;
    headers.push(name, hop.headers[i + 1] as string);
  }
  return { method: toGet ? 'GET' : hop.method, url, headers, body: toGet ? null : hop.body };
}
