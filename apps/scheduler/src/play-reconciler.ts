import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { PROTOCOL_TIMES, assertProtocolTimes } from '@weft/engine';
import { LOG, PlayFigures, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { Metrics, warnRarely } from '@weft/observability';
import { FlowGateRepository, Mongo, OpenPlaysRepository, SystemScope, WindowPlaysRepository } from '@weft/persistence';
import {
  Doorbell,
  FlowGatekeeper,
  LiveWorkers,
  Places,
  QueueInspector,
  QueueKeys,
  RunWindow,
  WindowRefiller,
} from '@weft/queue';
import { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { QueueWalk } from './gate/queue-walk.js';
import { PassLoop } from './pass-loop.js';
import { Reconciler } from './reconcile/reconciler.js';
import { WindowKeeper } from './reconcile/window-keeper.js';

const PASS_EVERY_MS = 1_000;

/**
 * Runs what heals plays for as long as the process lives: the reconciler, and beside it the walk over the gates of flows with
 * a concurrency limit (places of plays that ended without their worker saying so, plays that joined a queue and were not let
 * in, limits that were changed). Both walk MongoDB; replicas need no leader.
 */
@Injectable()
export class PlayReconciler implements OnApplicationBootstrap, Drainable {
  private readonly reconciler: Reconciler;
  private readonly queue: QueueInspector;
  private readonly doorbell: Doorbell;
  private readonly loops: readonly PassLoop[];
  private readonly stopping = new AbortController();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) log: Logger,
    @Inject(REDIS) private readonly redis: Redis,
    mongo: Mongo,
    metrics: Metrics,
    notices: PlayNotices,
    signals: PlaySignals,
    figures: PlayFigures,
  ) {
    assertProtocolTimes(PROTOCOL_TIMES);
    const serverNow = () => mongo.serverNow();
    const keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
    const scope = new SystemScope('the reconciler heals the plays of all companies, and their flows’ gates');
    const plays = new OpenPlaysRepository(mongo, scope);
    const announce = (companyId: string, playId: string, seq: number) => notices.announce(companyId, playId, seq);
    const window = new RunWindow(redis, keys, { serverNow });
    const liveWorkers = new LiveWorkers(redis, keys);
    const windowSize = () => liveWorkers.window(settings.run.window, serverNow());
    this.queue = new QueueInspector(redis, keys);
    this.doorbell = new Doorbell(redis, keys, { ringByMs: PROTOCOL_TIMES.ringByMs });
    const onFault = (component: string, action: string) => {
      const tell = warnRarely(log, component, 'a pass failed; it goes on where it was');
      return (error: unknown) => {
        metrics.reconcilerAction(action);
        tell(error);
      };
    };
    const refiller = new WindowRefiller(window, this.doorbell, new WindowPlaysRepository(mongo, scope), {
      ...{ window: windowSize, serverNow, times: PROTOCOL_TIMES, announce },
      // a refill goes on whatever becomes of them: they rest, or have ended
      onRefused: (failed) => this.reconciler.writes.giveUp('due', failed).catch(onFault('due', 'failed_pass')),
      onRefill: (rung) => rung > 0 && metrics.reconcilerAction('refill', rung),
    });
    this.reconciler = new Reconciler({
      plays,
      queue: this.queue,
      doorbell: this.doorbell,
      windows: new WindowKeeper({ window, refiller, plays, windowSize, serverNow, times: PROTOCOL_TIMES }),
      ...{ window, windowSize },
      times: PROTOCOL_TIMES,
      serverNow,
      announce,
      signal: (playId) => signals.publish(playId),
      onEnded: (play, state) => figures.ended(play, state, null),
      count: (action, count) => metrics.reconcilerAction(action, count),
      log,
      stopping: this.stopping.signal,
    });
    const gates = new FlowGateRepository(mongo, scope);
    const gatekeeper = new FlowGatekeeper({
      ...{ gates, plays, windowSize, serverNow, announce },
      places: new Places(window, windowSize),
      doorbell: this.doorbell,
      onRefused: (failed) => this.reconciler.writes.giveUp('admit', failed),
    });
    const walk = new QueueWalk(
      (after) => plays.nextWithQueue(after),
      (flow) => gatekeeper.heal(flow),
      onFault('gates', 'failed_gate'),
    );
    this.loops = [
      ...this.reconciler.loops.map(
        (loop) =>
          new PassLoop(
            loop.name,
            loop.everyMs ?? PASS_EVERY_MS,
            () => loop.pass(),
            onFault(`reconciler: ${loop.name}`, 'failed_pass'),
          ),
      ),
      new PassLoop('gates', PASS_EVERY_MS, () => walk.pass(), onFault('gates', 'failed_gate_pass')),
    ];
  }

  onApplicationBootstrap(): void {
    this.redis.on('ready', () => this.reconciler.forgetSeen());
    for (const loop of this.loops) loop.start();
  }

  async drain(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await Promise.allSettled([this.doorbell.close(), this.queue.close()]);
  }
}
