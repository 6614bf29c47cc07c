import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { WeftError } from '@weft/kernel';

/** The parts of a request that show where it comes from. */
export interface Asking {
  /** The peer of its socket. */
  readonly peer: string | undefined;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Who may read metrics of flows and companies and details of faults: callers from this machine, by an address of its
 * own and without a proxy, and callers with the token.
 *
 * @returns why a caller may not
 */
export function insiderRule(token: string | null): (asking: Asking) => WeftError | undefined {
  const expected = token === null ? undefined : digest(`Bearer ${token}`);
  return (asking) => {
    const { authorization } = asking.headers;
    if (expected && authorization !== undefined && timingSafeEqual(digest(authorization), expected)) return undefined;
    if (isFromHere(asking)) return undefined;
    return expected ? new WeftError('unauthenticated', 'Send METRICS_TOKEN as a bearer token.') : notFromHere();
  };
}

/** `Host` of a request to this machine by its own address. Other names do not count: a foreign site may have one that resolves to this machine. */
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** Headers that proxies and CDNs add: addresses other than the peer's, and their own names. */
const SAID_BY_PROXIES =
  /^(forwarded|via|cdn-loop|x-forwarded($|-)|x-original-|x-envoy-|x-amzn-|x-cloud-trace|x-arr-|x-azure-|x-vercel-|x-varnish|cf-|fly-|x-scheme$|front-end-https$)|(^|-)ip$|(^|-)(real|client|connecting|remote)-(ip|addr|address|port|proto)/;

function isFromHere({ peer = '', httpVersion, headers }: Asking): boolean {
  if (!/^(127\.|::1$|::ffff:127\.)/.test(peer) || !LOCAL_HOST.test(headers.host ?? '')) return false;
  // Proxies that add no headers often use HTTP/1.0; insiders do not.
  return httpVersion !== '1.0' && !Object.keys(headers).some((name) => SAID_BY_PROXIES.test(name));
}

function notFromHere(): WeftError {
  return new WeftError(
    'denied',
    'Only this machine may read this, at localhost or 127.0.0.1 and past no proxy. Set METRICS_TOKEN to let others in.',
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
