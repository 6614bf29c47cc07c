import { IntegrationRepository, TenantScope, type Mongo } from '@weft/persistence';
import { LRUCache } from 'lru-cache';
import type { FreshTokens } from './fresh-tokens.js';

const MAX_REMEMBERED = 5_000;
/** A deleted link is effective within this, like every other right. */
const TRUST_MS = 1_000;

/** The access tokens of integration links, for layers that call with them. */
export class IntegrationTokens {
  private readonly integrations: IntegrationRepository;
  private readonly known = new LRUCache<string, Promise<string | null>>({ max: MAX_REMEMBERED, ttl: TRUST_MS });

  constructor(
    mongo: Mongo,
    private readonly fresh: Pick<FreshTokens, 'accessToken'>,
  ) {
    this.integrations = new IntegrationRepository(mongo);
  }

  /**
   * @returns null when the company has no such link
   * @throws TokenUnusable, SecretUnreadable
   */
  accessToken(companyId: string, integrationId: string): Promise<string | null> {
    const key = `${companyId}:${integrationId}`;
    let token = this.known.get(key);
    if (!token) {
      token = this.read(companyId, integrationId);
      this.known.set(key, token);
      token.catch(() => this.known.delete(key));
    }
    return token;
  }

  private async read(companyId: string, integrationId: string): Promise<string | null> {
    const found = await this.integrations.find(new TenantScope(companyId), integrationId);
    return found && this.fresh.accessToken(found);
  }
}
