import type { LinkKind, LinkSettings, RateLimit } from '@weft/shapes';
import { TenantScope, type Mongo } from '@weft/store';
import { IntegrationRepository, type IntegrationDocument } from '@weft/records';
import { LRUCache } from 'lru-cache';
import type { FreshTokens } from './fresh-tokens.js';

const MAX_CACHED = 5_000;
/** A deleted link stops working within this time, as every revoked right does. */
const MAX_AGE_MS = 1_000;

/** A link as layers use it. */
export interface UsableIntegration {
  readonly type: string;
  readonly endpoint: string | null;
  readonly rateLimit: RateLimit | null;
  /** Its decrypted access token. */
  readonly secret: string;
  readonly kind: LinkKind;
  readonly settings: LinkSettings;
}

/** The integration links that layers call with, and their access tokens. */
export class IntegrationTokens {
  private readonly integrations: IntegrationRepository;
  private readonly cache = new LRUCache<string, Promise<{ readonly link: UsableIntegration | null }>>({
    max: MAX_CACHED,
    ttl: MAX_AGE_MS,
  });

  constructor(
    mongo: Mongo,
    private readonly fresh: Pick<FreshTokens, 'accessToken' | 'renewed'>,
  ) {
    this.integrations = new IntegrationRepository(mongo);
  }

  /**
   * @returns null when the company has no such link
   * @throws TokenUnusable, SecretUnreadable
   */
  async find(companyId: string, integrationId: string): Promise<UsableIntegration | null> {
    const key = `${companyId}:${integrationId}`;
    let found = this.cache.get(key);
    if (!found) {
      found = this.read(companyId, integrationId);
      this.cache.set(key, found);
      found.catch(() => this.cache.delete(key));
    }
    return (await found).link;
  }

  /**
   * The link with another token than this one, which a peer has refused.
   *
   * @returns null when there is no other
   * @throws SecretUnreadable
   */
  async renewed(companyId: string, integrationId: string, refused: string): Promise<UsableIntegration | null> {
    const found = await this.integrations.find(new TenantScope(companyId), integrationId);
    const secret = found && (await this.fresh.renewed(found, refused));
    this.cache.delete(`${companyId}:${integrationId}`);
    return secret === null ? null : usableOf(found as IntegrationDocument, secret);
  }

  private async read(companyId: string, integrationId: string): Promise<{ readonly link: UsableIntegration | null }> {
    const found = await this.integrations.find(new TenantScope(companyId), integrationId);
    if (!found) return { link: null };
    return { link: usableOf(found, await this.fresh.accessToken(found)) };
  }
}

/** The link as layers and its own test use it. Accounts at a provider have no kind: their tokens are bearer tokens. */
export function usableOf(link: IntegrationDocument, secret: string): UsableIntegration {
  const { IntegrationType: type, Endpoint: endpoint = null, Kind: kind = 'bearer', Settings: settings = {} } = link;
  return { type, endpoint, rateLimit: link.RateLimit ?? null, secret, kind, settings };
}
