/**
 * Refreshes stored tokens before they expire, in one process at a time. A process that finds a refresh due takes the record's
 * lease by a conditional write; the others use the old token until it expires, or wait.
 */
import { FairSemaphore } from '@weft/concurrency';
import { SystemScope } from '@weft/store';
import { type TokenRecord, type TokenRecords } from '@weft/records';
import { LRUCache } from 'lru-cache';
import { setTimeout as pause } from 'node:timers/promises';
import type { SecretBox } from '../secrets/secret-box.js';
import type { RoleLink } from './assume-role.js';
import { OidcFailure, type IssuedTokens } from './identity-provider.js';
import type { OidcClient } from './oidc-client.js';
import type { ProviderDirectory } from './provider-directory.js';
import { openAccessToken, openClient, openRefreshToken, recordPlace, sealTokens } from './stored-tokens.js';
import type { TokenEndpoint } from './token-endpoint.js';

/** Longer than a refresh can take: metadata and token, 8 s each. */
const LEASE_MS = 30_000;
/** A token that expires within this is not used: the call that needs it takes time, too. */
const USABLE_MS = 5_000;
/** Time until the next attempt: when the provider was unreachable; when an operator has to fix something. */
const RETRY_AFTER_MS = 15_000;
const RETRY_AFTER_MISCONFIGURATION_MS = 5 * 60_000;
/** Refreshes of a pass at a time, in all and of one company: it chooses its servers, and slow ones must not hold up the others. */
const AT_ONCE = 16;
const OF_A_COMPANY = 4;
/** No refresh of a pass begins later: what is left is due in the next one, together with what other companies have by then. */
const PASS_MS = 20_000;
const MAX_WAIT_MS = 20_000;
const POLL_EVERY_MS = 100;
/** A peer that refuses the new token within this time means something else than that the token has ended. */
const RENEW_EVERY_MS = 10_000;
const MAX_REMEMBERED = 5_000;

const REFRESHING = new SystemScope('tokens of all companies are refreshed before they end');

/** The record gives no usable token now; the message is for the company's users. */
export class TokenUnusable extends Error {
  override readonly name = 'TokenUnusable';
}

export interface FreshTokensDeps {
  readonly records: TokenRecords;
  readonly secrets: SecretBox;
  readonly providers: Pick<ProviderDirectory, 'find'>;
  readonly oidc: Pick<OidcClient, 'refresh'>;
  /** For records with a client of their own. */
  readonly endpoint: Pick<TokenEndpoint, 'refresh' | 'clientCredentials' | 'assumeRole'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Identifies this process. */
  readonly processTag: string;
}

export class FreshTokens {
  /** When this process asked for another token because of a refusal, by record. */
  private readonly renewedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(private readonly deps: FreshTokensDeps) {}

  /**
   * An access token that can be used now.
   *
   * @param found the record, just read
   * @throws TokenUnusable, SecretUnreadable
   */
  async accessToken(found: TokenRecord): Promise<string> {
    const { records, secrets, serverNow } = this.deps;
    let record = found;
    const deadline = serverNow() + MAX_WAIT_MS;
    for (;;) {
      const now = serverNow();
      const isUsable = record.TokenExpiry === null || record.TokenExpiry.getTime() - now > USABLE_MS;
      const isDue = record.RefreshAt !== null && record.RefreshAt.getTime() <= now;
      if (isUsable && !isDue) return openAccessToken(secrets, records.collection, record);
      if (!isDue) throw unusable(record);
      const refreshed = await this.tryRefresh(record._id);
      if (!refreshed && isUsable) return openAccessToken(secrets, records.collection, record);
      if (!refreshed) {
        if (now > deadline) throw new TokenUnusable('its token is being refreshed and that takes too long');
        await pause(POLL_EVERY_MS);
      }
      const reread = refreshed ?? (await records.find(REFRESHING, record._id));
      if (!reread) throw new TokenUnusable('it was deleted');
      record = reread;
    }
  }

  /**
   * Another token than the one that a peer has refused, whatever end the server gave it. Null when it cannot be renewed now, or
   * has just been renewed.
   *
   * @param found the record, just read
   * @throws SecretUnreadable
   */
  async renewed(found: TokenRecord, refused: string): Promise<string | null> {
    const { records, secrets, serverNow } = this.deps;
    const startedAt = serverNow();
    let record: TokenRecord | null = found;
    for (let isAsked = false; record !== null; record = await records.find(REFRESHING, found._id)) {
      const token = openAccessToken(secrets, records.collection, record);
      if (token !== refused) return token;
      const now = serverNow();
      const isOver = isAsked && (record.RefreshAt === null || record.RefreshAt.getTime() > now);
      if (isOver || !canBeRenewed(record) || now > startedAt + MAX_WAIT_MS) return null;
      if (isAsked) await pause(POLL_EVERY_MS);
      else if (now < (this.renewedAt.get(record._id) ?? Number.NEGATIVE_INFINITY) + RENEW_EVERY_MS) return null;
      else await records.makeDue(REFRESHING, record._id, record.AccessToken, new Date(now));
      isAsked = true;
      if (await this.tryRefresh(record._id)) this.renewedAt.set(record._id, now);
    }
    return null;
  }

  /**
   * Refreshes the tokens that are due, some of each company at a time: companies take turns. What takes too long is left for the
   * next pass.
   *
   * @param onFault called for each record that could not be refreshed
   * @returns how many were refreshed
   * @throws the first fault of the store, when the others have ended
   */
  async refreshDue(limit: number, onFault: (recordId: string, error: unknown) => void): Promise<number> {
    const { records, serverNow } = this.deps;
    const due = await records.findDue(REFRESHING, new Date(serverNow()), limit);
    const slots = new FairSemaphore(AT_ONCE);
    const until = serverNow() + PASS_MS;
    let count = 0;
    const refreshEach = async (ids: Iterator<string>, companyId: string): Promise<void> => {
      for (let next = ids.next(); !next.done; next = ids.next()) {
        const id = next.value;
        const release = await slots.acquire(companyId);
        try {
          if (serverNow() >= until) return;
          const refreshed = await this.tryRefresh(id, (error) => {
            count -= 1;
            onFault(id, error);
          });
          if (refreshed) count += 1;
        } finally {
          release();
        }
      }
    };
    const lanes = [...Map.groupBy(due, ({ CompanyID = '' }) => CompanyID)].flatMap(([companyId, its]) => {
      const ids = its.map(({ _id }) => _id).values();
      return Array.from({ length: OF_A_COMPANY }, () => refreshEach(ids, companyId));
    });
    const fault = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
    if (fault) throw fault.reason;
    return count;
  }

  /** The record after a refresh by this process; null when another process has the lease, or no refresh is due any more. */
  private async tryRefresh(id: string, onFault: (error: unknown) => void = () => {}): Promise<TokenRecord | null> {
    const { records, serverNow, processTag } = this.deps;
    const now = serverNow();
    const leaseEnd = now + LEASE_MS;
    const leased = await records.lease(REFRESHING, id, processTag, new Date(now), new Date(leaseEnd));
    if (!leased) return null;
    await this.store(id, await this.outcome(leased, onFault), leaseEnd);
    // If this process lost the lease to a user who connected again, this reads the newer tokens.
    return records.find(REFRESHING, id);
  }

  /** Retries the write: a provider that rotates refresh tokens gives each once, so a brief outage of the store must not lose it. */
  private async store(id: string, fields: Partial<TokenRecord>, leaseEnd: number): Promise<void> {
    const { records, serverNow, processTag } = this.deps;
    for (;;) {
      try {
        await records.endLease(REFRESHING, id, processTag, fields);
        return;
      } catch (error) {
        if (serverNow() >= leaseEnd) throw error;
        await pause(POLL_EVERY_MS);
      }
    }
  }

  private async outcome(leased: TokenRecord, onFault: (error: unknown) => void): Promise<Partial<TokenRecord>> {
    const { records, secrets, serverNow } = this.deps;
    try {
      const given = await this.refresh(leased);
      const place = recordPlace(records.collection, leased);
      return sealTokens(secrets, place, given, serverNow(), needsNoConsent(leased) || given.refreshToken !== null);
    } catch (error) {
      onFault(error);
      const code = error instanceof OidcFailure ? error.code : null;
      if (code === 'refresh_refused' && !needsNoConsent(leased)) return { RefreshAt: null, RefreshError: code };
      const pauseMs = code === 'provider_unavailable' ? RETRY_AFTER_MS : RETRY_AFTER_MISCONFIGURATION_MS;
      const why = needsNoConsent(leased) && error instanceof OidcFailure ? { RefreshError: error.message } : {};
      return { RefreshAt: new Date(serverNow() + pauseMs), ...why };
    }
  }

  private roleLink(leased: TokenRecord): RoleLink {
    const { records, secrets } = this.deps;
    const { settings, secret } = openClient(secrets, records.collection, leased);
    const { _id: id, CompanyID: companyId = '', Endpoint: endpoint = null } = leased;
    return { id, companyId, endpoint, settings, keys: secret ?? '{}' };
  }

  private async refresh(leased: TokenRecord): Promise<IssuedTokens> {
    const { records, secrets, providers, oidc, endpoint } = this.deps;
    if (leased.Kind === 'aws_sigv4') return endpoint.assumeRole(this.roleLink(leased));
    if (needsNoConsent(leased)) {
      return endpoint.clientCredentials(openClient(secrets, records.collection, leased), leased.Scopes);
    }
    const refreshToken = openRefreshToken(secrets, records.collection, leased);
    if (leased.Kind === 'oauth2' && refreshToken !== null) {
      return endpoint.refresh(openClient(secrets, records.collection, leased), refreshToken, leased.Scopes);
    }
    const provider = leased.ProviderID === null ? null : await providers.find(leased.ProviderID);
    if (refreshToken === null || !provider) throw new TokenUnusable('its identity provider is not there any more');
    // A token is sent only to the issuer that gave it, even if the provider's entry now names another issuer.
    if (provider.issuer !== leased.Issuer) throw new TokenUnusable('its identity provider is another one now');
    return oidc.refresh(provider, refreshToken, leased.Scopes);
  }
}

function canBeRenewed(record: TokenRecord): boolean {
  return record.RefreshError === null && (needsNoConsent(record) || record.RefreshToken !== null);
}

function needsNoConsent({ Kind }: TokenRecord): boolean {
  return Kind === 'oauth2_client_credentials' || Kind === 'aws_sigv4';
}

function unusable(record: TokenRecord): TokenUnusable {
  const { RefreshError } = record;
  if (needsNoConsent(record)) {
    return new TokenUnusable(`its authorization server gives it no token: ${RefreshError ?? 'it did not answer'}`);
  }
  if (RefreshError === 'not_connected') return new TokenUnusable('nobody has connected it yet');
  return new TokenUnusable(
    RefreshError === null
      ? 'its token has ended; connect it again'
      : 'its token has ended and the provider refused to refresh it; connect it again',
  );
}
