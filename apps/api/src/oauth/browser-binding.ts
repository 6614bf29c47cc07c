import type { Settings } from '@weft/config';
import { readCookie } from '@weft/identity';
import { createHash, randomBytes } from 'node:crypto';

/** How long a `state` is valid: the time that users have to sign in at the provider. */
export const STATE_TTL_MS = 10 * 60_000;

const NAME_CHARACTERS = 12;

/** 32 cryptographically random bytes, as text. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * The cookie that binds a `state` to the browser that began the flow. Each flow has its own, so that two tabs don't disturb
 * each other. `SameSite=Lax`, because the callback is a navigation from another site; where it is `Secure`, the prefix of its
 * name keeps subdomains from setting it.
 */
export class BrowserBinding {
  private readonly prefix: string;
  private readonly attributes: string;

  constructor({ cookieSecure }: Pick<Settings['session'], 'cookieSecure'>) {
    this.prefix = cookieSecure ? '__Host-weft_oauth_' : 'weft_oauth_';
    this.attributes = `Path=/; HttpOnly;${cookieSecure ? ' Secure;' : ''} SameSite=Lax`;
  }

  /** A `Set-Cookie` value. */
  set(stateHash: string, token: string): string {
    return `${this.name(stateHash)}=${token}; Max-Age=${STATE_TTL_MS / 1_000}; ${this.attributes}`;
  }

  clear(stateHash: string): string {
    return `${this.name(stateHash)}=; Max-Age=0; ${this.attributes}`;
  }

  /** The token in a `Cookie` header; undefined when the header has no cookie for this `state`. */
  read(cookies: string | undefined, stateHash: string): string | undefined {
    return readCookie(cookies, this.name(stateHash));
  }

  private name(stateHash: string): string {
    return this.prefix + stateHash.slice(0, NAME_CHARACTERS);
  }
}
