/**
 * docs/http-api.md §1.6: whether a browser sent this request from another site. Asked of requests that a cookie speaks
 * for, when their method is unsafe, and of every socket upgrade. With neither header there is no browser.
 */
export interface BrowserHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | readonly string[] | undefined;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** @param publicOrigin scheme, host and port of `API_URL` */
export function isCrossSite(headers: BrowserHeaders, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host, publicOrigin);
}

/**
 * The scheme is compared with the public one only: this process cannot know the browser's scheme when a proxy terminates TLS.
 * A plain-http page of the same host is kept out by the cookie's `Secure` and `SameSite`.
 */
function isOwnOrigin(origin: string, host: string | undefined, publicOrigin: string): boolean {
  if (origin === publicOrigin) return true;
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const own = new URL(publicOrigin);
  const sentTo = hostOf(protocol, host);
  return originHost === sentTo && !(originHost === own.host && protocol !== own.protocol);
}

/** Lower case and without the scheme's default port, as in a URL. */
function hostOf(protocol: string, host: string): string | null {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : null;
}
