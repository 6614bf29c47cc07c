import { createHash, randomBytes } from 'node:crypto';

export const SESSION_COOKIE = 'sid';

/** 32 bytes in base64url. */
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** 32 cryptographically random bytes, as text. Only the client keeps it. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url');
}

/** What the store knows a session by. */
export function hashSessionId(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url');
}

export function hasSessionIdShape(text: string): boolean {
  return SHAPE.test(text);
}

/** The session id in a `Cookie` header, the first one where there are several; undefined where there is none. */
export function sessionIdFromCookies(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === SESSION_COOKIE) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
