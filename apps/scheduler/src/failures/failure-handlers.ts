import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import type { Drainable } from '@weft/kernel';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { FailedPlaysRepository, Mongo, PayloadStore } from '@weft/persistence';
import { FlowCache, PlayAcceptance } from '@weft/runs';
import type { Logger } from 'pino';
import { PassLoop } from '../pass-loop.js';
import { FailureWalk } from './failure-walk.js';

const EVERY_MS = 1_000;

/** Runs the flows that handle failures (`settings.onFailure`), for as long as the process lives. */
@Injectable()
export class FailureHandlers implements OnApplicationBootstrap, Drainable {
  private readonly loop: PassLoop;

  constructor(
    @Inject(LOG) log: Logger,
    @Inject(SETTINGS) settings: Settings,
    mongo: Mongo,
    metrics: Metrics,
    plays: FailedPlaysRepository,
    flows: FlowCache,
    acceptance: PlayAcceptance,
  ) {
    const onFault = warnRarely(log, 'failures', 'could not run the flow that handles a failure; it is tried again');
    const walk = new FailureWalk({
      ...{ plays, flows, acceptance, payloads: new PayloadStore(mongo) },
      base: settings.server.apiUrl,
      serverNow: () => mongo.serverNow(),
      onGivenUp: ({ _id, company_id, failurePending }, reason) => {
        metrics.reconcilerAction('give_up_failure');
        const about = { component: 'failures', company_id, play_id: _id, flow_id: failurePending, reason };
        log.warn(about, 'the flow that handles failures was not run for a failed play');
      },
      onFault,
    });
    this.loop = new PassLoop('failures', EVERY_MS, async () => this.count(metrics, await walk.pass()), onFault);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async drain(): Promise<void> {
    await this.loop.stop();
  }

  private count(metrics: Metrics, started: number): void {
    if (started > 0) metrics.reconcilerAction('handle_failure', started);
  }
}
