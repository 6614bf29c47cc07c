import { EgressError } from './egress-client.js';
import type { Hop } from './outgoing-request.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that are meant for the first origin alone. Every service has its own: what is called like one is one. */
const CREDENTIAL_HEADER =
  /^cookie2?$|(^|[-_])(auth|authorization|token|secret|password|credentials?|session|signature)($|[-_])|(api|access|subscription|private|auth|app)[-_]?key/;

const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'content-location',
]);

/** True for an answer that asks to be fetched elsewhere; one without `Location` is an answer like any other. */
export function isRedirect(statusCode: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECTS.has(statusCode);
}

/**
 * Where a redirect leads, by the rules of the Fetch standard (§4.4): 303 turns everything but HEAD into GET, 301 and 302 turn
 * POST into GET, the rest repeats the request. Credentials do not cross origins, nor do those written in `Location` count.
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
    const lower = name.toLowerCase();
    if (crosses && CREDENTIAL_HEADER.test(lower)) continue;
    if (toGet && BODY_HEADERS.has(lower)) continue;
    headers.push(name, hop.headers[i + 1] as string);
  }
  return { method: toGet ? 'GET' : hop.method, url, headers, body: toGet ? null : hop.body };
}
