import type { TokenFields, TokenRecord } from '@weft/records';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.js';
import type { IssuedTokens } from './identity-provider.js';
import type { OAuthClient } from './token-endpoint.js';

/** Tokens are refreshed this long before they expire, or after two thirds of their lifetime if that is later. */
const AHEAD_MS = 5 * 60_000;
const SHARE_AHEAD = 1 / 3;
/** Of a token that can be renewed and whose server does not say when it ends. */
export const ASSUMED_LIFE_MS = 3_600_000;

type RecordPlace = Pick<SecretPlace, 'collection' | 'recordId' | 'companyId'>;

/**
 * The fields of a record with these tokens: sealed for the record, with the time of the next refresh. Without scopes: those of
 * a record are what was asked for when it was made, whatever a later answer grants.
 *
 * @param isRenewable whether there can be one
 */
export function sealTokens(
  secrets: SecretBox,
  record: RecordPlace,
  given: IssuedTokens,
  nowMs: number,
  isRenewable = given.refreshToken !== null,
): Pick<TokenFields, 'AccessToken' | 'RefreshToken' | 'TokenExpiry' | 'RefreshAt' | 'RefreshError'> {
  const { accessToken, refreshToken, expiresAt } = given;
  return {
    AccessToken: secrets.seal({ ...record, field: 'AccessToken' }, accessToken),
    RefreshToken: refreshToken === null ? null : secrets.seal({ ...record, field: 'RefreshToken' }, refreshToken),
    TokenExpiry: expiresAt,
    RefreshAt: isRenewable ? refreshAt(expiresAt?.getTime() ?? nowMs + ASSUMED_LIFE_MS, nowMs) : null,
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

/** @throws SecretUnreadable */
export function openClient(secrets: SecretBox, collection: string, record: TokenRecord): OAuthClient {
  const { ClientSecret: sealed = null, Settings: settings = {} } = record;
  const place = { ...recordPlace(collection, record), field: 'ClientSecret' };
  return { settings, secret: sealed === null ? null : secrets.open(place, sealed) };
}

export function recordPlace(collection: string, record: Pick<TokenRecord, '_id' | 'CompanyID'>): RecordPlace {
  return { collection, recordId: record._id, companyId: record.CompanyID ?? null };
}

function refreshAt(expiresAtMs: number, nowMs: number): Date {
  return new Date(expiresAtMs - Math.min(AHEAD_MS, (expiresAtMs - nowMs) * SHARE_AHEAD));
}
