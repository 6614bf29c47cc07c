import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { WeftError, type Clock } from '@weft/kernel';
import { invalid, readClaims, TOKEN_AUDIENCE, TOKEN_ISSUER, type ApiKeyClaims } from './api-key-claims.js';

const ALGORITHM = 'HS256';
/** Longer than any token that we make; what is longer costs nothing to refuse. */
const MAX_TOKEN_LENGTH = 4_096;
const KEY_PURPOSE = 'weft/api-key-token/1';

/** The secret that tokens are signed with is derived, so that it is of no use for anything else that hangs on the same settings. */
export function deriveTokenKey(encKeySecret: string, envKeySalt: string): Buffer {
  return Buffer.from(hkdfSync('sha256', encKeySecret, envKeySalt, KEY_PURPOSE, 32));
}

/** Makes and checks the bearer tokens of API keys: specification §2 and §5.2. Whether the key still exists is not asked here. */
export class ApiKeyTokens {
  private readonly jwt = new JwtService({});

  /** @param keys the current one, then those that a rotation has not yet retired */
  constructor(
    private readonly keys: readonly [Buffer, ...Buffer[]],
    private readonly clock: Clock,
  ) {}

  sign(claims: Omit<ApiKeyClaims, 'iss' | 'aud'>): string {
    const payload = { ...claims, iss: TOKEN_ISSUER, aud: [TOKEN_AUDIENCE] };
    return this.jwt.sign(payload, { secret: this.keys[0], algorithm: ALGORITHM });
  }

  /** @throws WeftError `token_invalid` or `token_expired` */
  verify(token: string): ApiKeyClaims {
    const secret = this.keyFor(token);
    const clockTimestamp = Math.floor(this.clock.now() / 1000);
    const options = { issuer: TOKEN_ISSUER, audience: TOKEN_AUDIENCE, clockTimestamp };
    try {
      return this.claimsOf(this.jwt.verify<object>(token, { ...options, algorithms: [ALGORITHM], secret }));
    } catch (error) {
      throw error instanceof WeftError ? error : refusalOf(error);
    }
  }

  /** @param payload of a token whose signature was verified */
  claimsOf(payload: unknown): ApiKeyClaims {
    return readClaims(payload, this.clock.now());
  }

  /**
   * The key that signed the token. Its header must be exactly `{ alg: HS256, typ: JWT }`: no other member is even looked at.
   *
   * @throws WeftError `token_invalid`
   */
  keyFor(token: string): Buffer {
    if (token.length > MAX_TOKEN_LENGTH) throw invalid('it is too long');
    const [header, payload, signature, ...more] = token.split('.');
    if (!header || !payload || !signature || more.length > 0) throw invalid('it does not have three parts');
    if (!isOurHeader(header)) throw invalid('its header is not {"alg":"HS256","typ":"JWT"}');
    const signed = `${header}.${payload}`;
    const key = this.keys.find((each) => isSignature(signature, signed, each));
    if (!key) throw invalid('its signature does not hold');
    return key;
  }
}

/** What jsonwebtoken says, in our words. */
export function refusalOf(error: unknown): WeftError {
  if (error instanceof Error && error.name === 'TokenExpiredError') {
    return new WeftError('token_expired', 'The token expired. Ask an administrator for a new key.', { cause: error });
  }
  return invalid('it cannot be verified', error);
}

function isOurHeader(encoded: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    if (typeof header !== 'object' || header === null || Object.keys(header).length !== 2) return false;
    return 'alg' in header && header.alg === ALGORITHM && 'typ' in header && header.typ === 'JWT';
  } catch {
    return false; // not JSON
  }
}

/** Compares the text, not the bytes: of the spellings of one signature only the canonical one counts. */
function isSignature(signature: string, signed: string, key: Buffer): boolean {
  const expected = Buffer.from(createHmac('sha256', key).update(signed).digest('base64url'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
