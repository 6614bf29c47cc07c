import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { parseJson, WeftError, type Clock } from '@weft/kernel';
import { invalid, readClaims, TOKEN_AUDIENCE, TOKEN_ISSUER, type ApiKeyClaims } from './api-key-claims.js';

const ALGORITHM = 'HS256';
/** Longer than any token that we make. Longer ones are refused without any computation. */
const MAX_TOKEN_LENGTH = 4_096;
const KEY_PURPOSE = 'weft/api-key-token/1';

/** The signing key is derived for this purpose, so that it is of no use for anything else that depends on the same settings. */
export function deriveTokenKey(encKeySecret: string, envKeySalt: string): Buffer {
  return Buffer.from(hkdfSync('sha256', encKeySecret, envKeySalt, KEY_PURPOSE, 32));
}

/** A key, and jsonwebtoken with it. jsonwebtoken converts a `Buffer` for each token, which takes longer than the signature. */
interface TokenKey {
  readonly key: KeyObject;
  readonly jwt: JwtService;
}

/**
 * Makes and checks the bearer tokens of API keys: docs/http-api.md §1.9. jsonwebtoken decides whether a signature is valid; the
 * form of the header and the claims are checked here. It does not check whether the API key still exists.
 */
export class ApiKeyTokens {
  private readonly current: TokenKey;
  /** Those that a rotation has not yet retired. */
  private readonly previous: readonly TokenKey[];

  /** @param keys the current one, then those that a rotation has not yet retired */
  constructor(
    [current, ...previous]: readonly [Buffer, ...Buffer[]],
    private readonly clock: Clock,
  ) {
    this.current = toTokenKey(current);
    this.previous = previous.map(toTokenKey);
  }

  sign(claims: Omit<ApiKeyClaims, 'iss' | 'aud'>): string {
    const payload = { ...claims, iss: TOKEN_ISSUER, aud: [TOKEN_AUDIENCE] };
    return this.current.jwt.sign(payload, { algorithm: ALGORITHM });
  }

  /** @throws WeftError `token_invalid` or `token_expired` */
  verify(token: string): ApiKeyClaims {
    const { jwt } = this.tokenKeyFor(token);
    const clockTimestamp = Math.floor(this.clock.now() / 1000);
    const options = { issuer: TOKEN_ISSUER, audience: TOKEN_AUDIENCE, clockTimestamp };
    try {
      return this.claimsOf(jwt.verify<object>(token, options));
    } catch (error) {
      throw error instanceof WeftError ? error : refusalOf(error);
    }
  }

  /** @param payload of a token whose signature was verified */
  claimsOf(payload: unknown): ApiKeyClaims {
    return readClaims(payload, this.clock.now());
  }

  /**
   * The key with which the caller verifies the token: a previous one if that signed it, else the current one. The token's header
   * must be exactly `{ alg: HS256, typ: JWT }`; any other member is refused.
   *
   * @throws WeftError `token_invalid`
   */
  keyFor(token: string): KeyObject {
    return this.tokenKeyFor(token).key;
  }

  private tokenKeyFor(token: string): TokenKey {
    assertForm(token);
    return this.previous.find(({ jwt }) => hasSigned(jwt, token)) ?? this.current;
  }
}

/** Converts an error of jsonwebtoken. */
export function refusalOf(error: unknown): WeftError {
  if (!(error instanceof Error)) return invalid('it cannot be verified', error);
  if (error.name === 'TokenExpiredError') {
    return new WeftError('token_expired', 'The token expired. Ask an administrator for a new key.', { cause: error });
  }
  return invalid(
    error.message === 'invalid signature' ? 'its signature does not hold' : 'it cannot be verified',
    error,
  );
}

function toTokenKey(secret: Buffer): TokenKey {
  const key = createSecretKey(secret);
  return { key, jwt: new JwtService({ secret: key, verifyOptions: { algorithms: [ALGORITHM] } }) };
}

function hasSigned(jwt: JwtService, token: string): boolean {
  try {
    jwt.verify(token, { ignoreExpiration: true });
    return true;
  } catch {
    return false; // another key has, or nobody
  }
}

function assertForm(token: string): void {
  if (token.length > MAX_TOKEN_LENGTH) throw invalid('it is too long');
  const [header, payload, signature, ...more] = token.split('.');
  if (!header || !payload || !signature || more.length > 0) throw invalid('it does not have three parts');
  if (!isOurHeader(header)) throw invalid('its header is not {"alg":"HS256","typ":"JWT"}');
}

function isOurHeader(encoded: string): boolean {
  try {
    const header: unknown = parseJson(Buffer.from(encoded, 'base64url'));
    if (typeof header !== 'object' || header === null || Object.keys(header).length !== 2) return false;
    return 'alg' in header && header.alg === ALGORITHM && 'typ' in header && header.typ === 'JWT';
  } catch {
    return false; // not JSON
  }
}
