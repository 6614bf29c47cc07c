import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, type EgressClient } from '@weft/egress';
import { openOAuth, type OAuth } from '@weft/identity';
import { NEW_ID, type NewId, type Drainable } from '@weft/kernel';
import { Metrics, LOG } from '@weft/observability';
import { Mongo } from '@weft/store';
import type { Logger } from 'pino';

const AT_ONCE = 100;

/**
 * Refreshes the stored tokens of identity providers before they expire, so that an integration link that is not used for a
 * while still works. Replicas need no leader: each record has a lease.
 */
@Injectable()
export class TokenRefresher implements Drainable {
  private readonly http: EgressClient;
  private readonly oauth: OAuth;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NEW_ID) newId: NewId,
    mongo: Mongo,
    private readonly metrics: Metrics,
  ) {
    this.http = createEgressClient(settings.egress);
    this.oauth = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
  }

  async drain(): Promise<void> {
    await this.http.close();
  }

  async pass(): Promise<void> {
    try {
      await this.refreshDue();
    } catch (error) {
      this.metrics.tokenRefreshFailed('pass');
      throw error;
    }
  }

  private async refreshDue(): Promise<void> {
    for (const [kind, fresh] of Object.entries(this.oauth.freshTokens)) {
      await fresh.refreshDue(AT_ONCE, (recordId, error) => {
        this.metrics.tokenRefreshFailed(kind);
        // Without its cause: the cause may quote the provider's answer, which contains tokens.
        const reason = error instanceof Error ? error.message : String(error);
        this.log.warn({ component: 'auth', kind, record_id: recordId, reason }, 'tokens could not be refreshed');
      });
    }
  }
}
