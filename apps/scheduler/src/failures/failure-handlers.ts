import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { FailedPlaysRepository, Mongo, PayloadStore, PLAY_LOOKS } from '@weft/store';
import { Pass } from '@weft/process';
import { FlowCache, PlayAcceptance } from '@weft/runs';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { FailureWalk } from './failure-walk.js';

const PASS = 'failures';

/** Runs the flows that handle failures (`settings.onFailure`), for as long as the process lives. */
@Injectable()
export class FailureHandlers {
  private readonly walk: FailureWalk;

  constructor(
    @Inject(LOG) log: Logger,
    @Inject(SETTINGS) settings: Settings,
    mongo: Mongo,
    private readonly metrics: Metrics,
    plays: FailedPlaysRepository,
    flows: FlowCache,
    acceptance: PlayAcceptance,
    glance: Glance,
  ) {
    glance.wake([PASS], () => [PLAY_LOOKS.pendingFailures()]);
    const onFault = warnRarely(log, 'failures', 'could not run the flow that handles a failure; it is tried again');
    this.walk = new FailureWalk({
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
  }

  @Pass({ name: PASS, everyMs: 1_000, restMs: RESTS_FOR_MS })
  async pass(signal: AbortSignal): Promise<void> {
    const started = await this.walk.pass(signal);
    if (started > 0) this.metrics.reconcilerAction('handle_failure', started);
  }
}
