import { sessionIdFromCookies } from '@weft/identity';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request brings to say who is calling. */
export type RequestCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'unknown' };

const BEARER = /^bearer +(\S+) *$/i;
const UNKNOWN = { kind: 'unknown' } as const;

/** `Authorization` wins over a cookie, also when it is of no use: contract §1. Null: neither is there. */
export function credentialOf({ authorization, cookie }: IncomingHttpHeaders): RequestCredential | null {
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    return token === undefined ? UNKNOWN : { kind: 'bearer', token };
  }
  const sessionId = sessionIdFromCookies(cookie);
  return sessionId ? { kind: 'session', sessionId } : null;
}
