import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { createEgressClient, type EgressClient } from '@weft/egress';
import { LOG, NEW_ID, SETTINGS, type Drainable } from '@weft/host';
import { openOAuth, type OAuth } from '@weft/identity';
import type { NewId } from '@weft/kernel';
import { Mongo } from '@weft/persistence';
import type { Logger } from 'pino';

const PASS_EVERY_MS = 20_000;
const AT_ONCE = 100;

/**
 * Refreshes the stored tokens of identity providers before they end, so that a link which nobody uses for a while still works.
 * Replicas need no leader: each record has a lease.
 */
@Injectable()
export class TokenRefresher implements OnApplicationBootstrap, Drainable {
  private readonly http: EgressClient;
  private readonly oauth: OAuth;
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NEW_ID) newId: NewId,
    mongo: Mongo,
  ) {
    this.http = createEgressClient({ allow: settings.egress.allow });
    this.oauth = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
  }

  onApplicationBootstrap(): void {
    this.plan();
  }

  async drain(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.passing;
    await this.http.close();
  }

  private plan(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.passing = this.pass().finally(() => this.plan());
    }, PASS_EVERY_MS);
  }

  private async pass(): Promise<void> {
    try {
      for (const [kind, fresh] of Object.entries(this.oauth.freshTokens)) {
        await fresh.refreshDue(AT_ONCE, (recordId, error) => {
          // Without its cause: that may quote the provider's answer, which has tokens in it.
          const reason = error instanceof Error ? error.message : String(error);
          this.log.warn({ component: 'auth', kind, record_id: recordId, reason }, 'tokens could not be refreshed');
        });
      }
    } catch (err) {
      this.log.warn({ component: 'auth', err }, 'a pass over the tokens failed; the next one goes on');
    }
  }
}
