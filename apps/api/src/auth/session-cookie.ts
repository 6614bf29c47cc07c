import type { Settings } from '@weft/config';
import { SESSION_COOKIE } from '@weft/identity';

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/** The `sid` cookie as docs/http-api.md §2 has it; without a configured domain it belongs to the host that set it, alone. */
export class SessionCookie {
  private readonly attributes: string;

  constructor({ cookieHttpOnly, cookieSecure, cookieSameSite, cookieDomain, cookiePath }: Settings['session']) {
    this.attributes = [
      `Path=${cookiePath}`,
      ...(cookieDomain === '' ? [] : [`Domain=${cookieDomain}`]),
      ...(cookieHttpOnly ? ['HttpOnly'] : []),
      ...(cookieSecure ? ['Secure'] : []),
      `SameSite=${SAME_SITE[cookieSameSite]}`,
    ].join('; ');
  }

  /** A `Set-Cookie` value that lives as long as the session. */
  set(sessionId: string, expiresAt: Date, nowMs: number): string {
    return this.header(sessionId, Math.max(1, Math.round((expiresAt.getTime() - nowMs) / 1000)));
  }

  clear(): string {
    return this.header('', 0);
  }

  /** The value is base64url or empty, so it needs no encoding. */
  private header(value: string, maxAgeSeconds: number): string {
    return `${SESSION_COOKIE}=${value}; Max-Age=${maxAgeSeconds}; ${this.attributes}`;
  }
}
