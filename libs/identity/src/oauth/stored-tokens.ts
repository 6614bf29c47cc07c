import type { TokenFields, TokenRecord } from '@weft/persistence';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.js';
import type { GivenTokens } from './identity-provider.js';

/** Refreshed this long before their end, or after two thirds of their life where that is later. */
const AHEAD_MS = 5 * 60_000;
const SHARE_AHEAD = 1 / 3;

type Record = Pick<SecretPlace, 'collection' | 'recordId' | 'companyId'>;

/** The tokens of a record, sealed for it, with the time of their next refresh. */
export function sealTokens(
  secrets: SecretBox,
  record: Record,
  given: GivenTokens,
  nowMs: number,
): Pick<TokenFields, 'AccessToken' | 'RefreshToken' | 'TokenExpiry' | 'Scopes' | 'RefreshAt' | 'RefreshError'> {
  const { accessToken, refreshToken, expiresAt, scopes } = given;
  return {
    AccessToken: secrets.seal({ ...record, field: 'AccessToken' }, accessToken),
    RefreshToken: refreshToken === null ? null : secrets.seal({ ...record, field: 'RefreshToken' }, refreshToken),
    TokenExpiry: expiresAt,
    Scopes: scopes,
    RefreshAt: refreshToken === null || expiresAt === null ? null : refreshAt(expiresAt.getTime(), nowMs),
    RefreshError: null,
  };
}

/** @throws SecretUnreadable */
export function openAccessToken(secrets: SecretBox, collection: string, record: TokenRecord): string {
  return secrets.open({ ...recordPlace(collection, record), field: 'AccessToken' }, record.AccessToken);
}

/** @throws SecretUnreadable */
export function openRefreshToken(secrets: SecretBox, collection: string, record: TokenRecord): string | null {
  const { RefreshToken } = record;
  return RefreshToken === null
    ? null
    : secrets.open({ ...recordPlace(collection, record), field: 'RefreshToken' }, RefreshToken);
}

export function recordPlace(collection: string, record: Pick<TokenRecord, '_id' | 'CompanyID'>): Record {
  return { collection, recordId: record._id, companyId: record.CompanyID ?? null };
}

function refreshAt(expiresAtMs: number, nowMs: number): Date {
  return new Date(expiresAtMs - Math.min(AHEAD_MS, (expiresAtMs - nowMs) * SHARE_AHEAD));
}
