import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, type EgressClient } from '@weft/egress';
import { openOAuth, type OAuth } from '@weft/identity';
import { NEW_ID, type NewId, type Drainable } from '@weft/kernel';
import { Metrics, warnRarely, LOG } from '@weft/observability';
import { Mongo } from '@weft/persistence';
import type { Logger } from 'pino';
import { PassLoop } from './pass-loop.js';

const PASS_EVERY_MS = 20_000;
const AT_ONCE = 100;

/**
 * Refreshes the stored tokens of identity providers before they expire, so that an integration link that is not used for a
 * while still works. Replicas need no leader: each record has a lease.
 */
@Injectable()
export class TokenRefresher implements OnApplicationBootstrap, Drainable {
  private readonly http: EgressClient;
  private readonly oauth: OAuth;
  private readonly onFault: (error: unknown) => void;
  private readonly loop = new PassLoop(
    'tokens',
    PASS_EVERY_MS,
    () => this.pass(),
    (err) => {
      this.metrics.tokenRefreshFailed('pass');
      this.onFault(err);
    },
  );

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NEW_ID) newId: NewId,
    mongo: Mongo,
    private readonly metrics: Metrics,
  ) {
    this.onFault = warnRarely(log, 'auth', 'a pass over the tokens failed; the next one goes on');
    this.http = createEgressClient(settings.egress);
    this.oauth = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
  }

  onApplicationBootstrap(): void {
    this.loop.start(PASS_EVERY_MS);
  }

  async drain(): Promise<void> {
    await this.loop.stop();
    await this.http.close();
  }

  private async pass(): Promise<void> {
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
