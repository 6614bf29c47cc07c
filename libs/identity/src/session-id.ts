import { parseCookie } from 'cookie';
import { createHash, randomBytes } from 'node:crypto';

export const SESSION_COOKIE = 'sid';

/** 32 bytes in base64url. */
const SHAPE = /^[A-Za-z0-9_-]{43}$/;
const AS_SENT = { decode: (value: string) => value };

/** 32 cryptographically random bytes, as text. Only the client stores it. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash under which a session is stored. */
export function hashSessionId(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url');
}

export function hasSessionIdShape(text: string): boolean {
  return SHAPE.test(text);
}

/** The first session id in a `Cookie` header; undefined when it has no session id. */
export function sessionIdFromCookies(header: string | undefined): string | undefined {
  return readCookie(header, SESSION_COOKIE);
}

/** The value of the first cookie of this name in a `Cookie` header, as it was sent: what we set needs no decoding. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  return header === undefined ? undefined : parseCookie(header, AS_SENT)[name];
}
