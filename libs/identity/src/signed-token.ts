import type { Settings } from '@weft/config';
import { parseStoredJson } from '@weft/kernel';
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Longer than any token that we make. Longer ones are refused without any computation. */
const MAX_TOKEN_LENGTH = 1_000;

/** Makes and verifies tokens of addresses: what they say in Base64, and an HMAC of it under a key for this purpose alone. */
export class SignedTokens<Content> {
  private readonly keys: readonly Buffer[];

  constructor({ secrets }: Pick<Settings, 'secrets'>, purpose: string) {
    const { encKeySecret, encKeySecretPrevious, envKeySalt } = secrets;
    this.keys = [encKeySecret, ...encKeySecretPrevious].map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, envKeySalt, purpose, 32)),
    );
  }

  /** The same for the same content. */
  of(content: Content): string {
    const body = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${body}.${sign(body, this.keys[0] as Buffer).toString('base64url')}`;
  }

  /** Null when none of the keys signed the token. */
  read(token: string): Content | null {
    const [body = '', mac = '', ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
    const given = Buffer.from(mac, 'base64url');
    // only the canonical base64url spelling is accepted
    if (rest.length > 0 || given.toString('base64url') !== mac) return null;
    const isOurs = this.keys.some((key) => {
      const expected = sign(body, key);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    return isOurs ? (parseStoredJson(Buffer.from(body, 'base64url').toString('utf8')) as Content) : null;
  }
}

function sign(body: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
