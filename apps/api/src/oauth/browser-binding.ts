import type { Settings } from '@weft/config';
import { createHash, randomBytes } from 'node:crypto';

/** Ten minutes to sign in at the provider. */
export const WAY_BACK_MS = 10 * 60_000;

const NAME_CHARACTERS = 12;

/** 32 cryptographically random bytes, as text. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * The cookie by which a browser that comes back from a provider is known to be the one that set out. One for each way, so
 * that two tabs don't disturb each other. `Lax`, since the callback comes from another site; where it can be `Secure` its
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
    return `${this.name(stateHash)}=${token}; Max-Age=${WAY_BACK_MS / 1_000}; ${this.attributes}`;
  }

  clear(stateHash: string): string {
    return `${this.name(stateHash)}=; Max-Age=0; ${this.attributes}`;
  }

  /** What a `Cookie` header says of this way; undefined where it says nothing. */
  read(cookies: string | undefined, stateHash: string): string | undefined {
    const start = `${this.name(stateHash)}=`;
    const pair = cookies?.split(';').find((each) => each.trim().startsWith(start));
    return pair?.trim().slice(start.length);
  }

  private name(stateHash: string): string {
    return this.prefix + stateHash.slice(0, NAME_CHARACTERS);
  }
}
