import { isScope, type Scope } from '@weft/access';
import { isFields, WeftError } from '@weft/kernel';

export const TOKEN_ISSUER = 'weft';
export const TOKEN_AUDIENCE = 'api';

const CLOCK_SKEW_SECONDS = 60;

/** The claims of docs/http-api.md §1.9, no more and no less. */
export interface ApiKeyClaims {
  readonly sub: string;
  readonly iss: typeof TOKEN_ISSUER;
  readonly aud: readonly [typeof TOKEN_AUDIENCE];
  readonly company_id: string;
  readonly key_id: string;
  readonly scope: readonly Scope[];
  readonly iat: number;
  readonly exp: number;
}

/**
 * The claims of a token whose signature is valid. Every claim is checked: types and values strictly, `exp` without leeway,
 * `iat` at most 60 s ahead (docs/http-api.md §1.9).
 *
 * @param nowMs epoch milliseconds
 * @throws WeftError `token_invalid` or `token_expired`
 */
export function readClaims(payload: unknown, nowMs: number): ApiKeyClaims {
  if (!isFields(payload)) throw invalid('its payload is not an object');
  const { sub, iss, aud, company_id, key_id, scope, iat, exp } = payload;
  if (iss !== TOKEN_ISSUER) throw invalid('its issuer is not this service');
  if (!Array.isArray(aud) || aud.length !== 1 || aud[0] !== TOKEN_AUDIENCE)
    throw invalid('its audience is not ["api"]');
  if (!isText(sub) || !isText(company_id) || !isText(key_id)) throw invalid('a claim is missing');
  if (!Array.isArray(scope) || !scope.every((each) => typeof each === 'string' && isScope(each))) {
    throw invalid('its scope is not a list of scopes');
  }
  if (!isSeconds(iat) || !isSeconds(exp)) throw invalid('iat and exp are not epoch seconds');
  if (iat > nowMs / 1000 + CLOCK_SKEW_SECONDS) throw invalid('it was issued in the future');
  if (nowMs >= exp * 1000)
    throw new WeftError('token_expired', 'The token expired. Ask an administrator for a new key.');
  return { sub, iss, aud: [TOKEN_AUDIENCE], company_id, key_id, scope, iat, exp };
}

export function invalid(why: string, cause?: unknown): WeftError {
  return new WeftError('token_invalid', `The bearer token is not valid: ${why}.`, { cause });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
