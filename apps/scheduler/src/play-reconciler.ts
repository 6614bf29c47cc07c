import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { PROTOCOL_TIMES, assertProtocolTimes } from '@weft/engine';
import { LOG, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { Metrics } from '@weft/observability';
import { Mongo, OpenPlaysRepository, SystemScope } from '@weft/persistence';
import { Doorbell, LiveWorkers, QueueInspector, QueueKeys, RunWindow, WindowRefiller } from '@weft/queue';
import { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { Reconciler } from './reconcile/reconciler.js';
import { WindowKeeper } from './reconcile/window-keeper.js';

const PASS_EVERY_MS = 1_000;
const COMPLAIN_EVERY_MS = 10_000;

/** Runs the reconciler for as long as the process lives. Replicas need no leader. */
@Injectable()
export class PlayReconciler implements OnApplicationBootstrap, Drainable {
  private readonly reconciler: Reconciler;
  private readonly queue: QueueInspector;
  private readonly doorbell: Doorbell;
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> = Promise.resolve();
  private stopped = false;
  private complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(REDIS) private readonly redis: Redis,
    mongo: Mongo,
    private readonly metrics: Metrics,
    notices: PlayNotices,
    signals: PlaySignals,
  ) {
    assertProtocolTimes(PROTOCOL_TIMES);
    const serverNow = () => mongo.serverNow();
    const keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
    const plays = new OpenPlaysRepository(mongo, new SystemScope('the reconciler heals the plays of all companies'));
    const window = new RunWindow(redis, keys);
    const liveWorkers = new LiveWorkers(redis, keys);
    const windowSize = () => liveWorkers.window(settings.run.window, serverNow());
    this.queue = new QueueInspector(redis, keys);
    this.doorbell = new Doorbell(redis, keys, { ringByMs: PROTOCOL_TIMES.ringByMs });
    const refiller = new WindowRefiller(window, this.doorbell, plays, {
      window: windowSize,
      onRefill: (rung) => rung > 0 && metrics.reconcilerAction('refill', rung),
    });
    this.reconciler = new Reconciler({
      plays,
      queue: this.queue,
      doorbell: this.doorbell,
      windows: new WindowKeeper({ window, refiller, plays, windowSize, serverNow }),
      times: PROTOCOL_TIMES,
      serverNow,
      announce: (companyId, playId, seq) => notices.announce(companyId, playId, seq),
      signal: (playId) => signals.publish(playId),
      count: (action, count) => metrics.reconcilerAction(action, count),
      log,
    });
  }

  onApplicationBootstrap(): void {
    this.redis.on('ready', () => this.reconciler.forgetSeen());
    this.plan(0);
  }

  async drain(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.passing;
    await Promise.allSettled([this.doorbell.close(), this.queue.close()]);
  }

  private plan(afterMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.passing = this.pass().finally(() => this.plan(PASS_EVERY_MS));
    }, afterMs);
  }

  private async pass(): Promise<void> {
    try {
      await this.reconciler.pass();
    } catch (err) {
      this.metrics.reconcilerAction('failed_pass');
      if (performance.now() - this.complainedAtMs < COMPLAIN_EVERY_MS) return;
      this.complainedAtMs = performance.now();
      this.log.warn({ component: 'reconciler', err }, 'a pass failed; it goes on where it was');
    }
  }
}
