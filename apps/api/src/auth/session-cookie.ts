import fastifyCookie from '@fastify/cookie';
import type { Settings } from '@weft/config';
import { SESSION_COOKIE } from '@weft/identity';

/** The `sid` cookie as specification §5.1 has it; without a configured domain it belongs to the host that set it, alone. */
export class SessionCookie {
  constructor(private readonly settings: Settings['session']) {}

  /** A `Set-Cookie` value that lives as long as the session. */
  set(sessionId: string, expiresAt: Date, nowMs: number): string {
    return this.header(sessionId, Math.max(1, Math.round((expiresAt.getTime() - nowMs) / 1000)));
  }

  clear(): string {
    return this.header('', 0);
  }

  private header(value: string, maxAge: number): string {
    const { cookieHttpOnly, cookieSecure, cookieSameSite, cookieDomain, cookiePath } = this.settings;
    return fastifyCookie.serialize(SESSION_COOKIE, value, {
      maxAge,
      httpOnly: cookieHttpOnly,
      secure: cookieSecure,
      sameSite: cookieSameSite,
      path: cookiePath,
      ...(cookieDomain !== '' && { domain: cookieDomain }),
    });
  }
}
