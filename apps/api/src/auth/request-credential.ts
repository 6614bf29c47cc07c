import { sessionIdFromCookies } from '@weft/identity';
import type { IncomingHttpHeaders } from 'node:http';

/** The credential of a request. */
export type RequestCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'unknown' };

const BEARER = /^bearer +(\S+) *$/i;
const UNKNOWN = { kind: 'unknown' } as const;

/** `Authorization` wins over a cookie, also when it is of no use: docs/http-api.md §1.6. Null: neither is there. */
export function credentialOf({ authorization, cookie }: IncomingHttpHeaders): RequestCredential | null {
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    return token === undefined ? UNKNOWN : { kind: 'bearer', token };
  }
  const sessionId = sessionIdFromCookies(cookie);
  return sessionId ? { kind: 'session', sessionId } : null;
}
