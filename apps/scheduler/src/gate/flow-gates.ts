import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { PROTOCOL_TIMES } from '@weft/engine';
import { LOG, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { FlowGateRepository, Mongo, OpenPlaysRepository, SystemScope } from '@weft/persistence';
import { Doorbell, FlowGatekeeper, LiveWorkers, QueueKeys, RunWindow } from '@weft/queue';
import { PlayNotices } from '@weft/realtime-bus';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { QueueWalk } from './queue-walk.js';

const PASS_EVERY_MS = 1_000;
const COMPLAIN_EVERY_MS = 10_000;

/**
 * Heals the gates of flows with a concurrency limit: places of plays that ended without their worker saying so, plays that
 * joined a queue and were not let in, limits that were changed. Walks MongoDB; replicas need no leader.
 */
@Injectable()
export class FlowGates implements OnApplicationBootstrap, Drainable {
  private readonly walk: QueueWalk;
  private readonly doorbell: Doorbell;
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> = Promise.resolve();
  private stopped = false;
  private complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(REDIS) redis: Redis,
    mongo: Mongo,
    notices: PlayNotices,
  ) {
    const serverNow = () => mongo.serverNow();
    const scope = new SystemScope('the gates of all companies’ flows are healed');
    const keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
    const plays = new OpenPlaysRepository(mongo, scope);
    const liveWorkers = new LiveWorkers(redis, keys);
    this.doorbell = new Doorbell(redis, keys, { ringByMs: PROTOCOL_TIMES.ringByMs });
    const keeper = new FlowGatekeeper({
      gates: new FlowGateRepository(mongo, scope),
      plays,
      doorbell: this.doorbell,
      window: new RunWindow(redis, keys),
      windowSize: () => liveWorkers.window(settings.run.window, serverNow()),
      serverNow,
      announce: (companyId, playId, seq) => notices.announce(companyId, playId, seq),
    });
    this.walk = new QueueWalk(
      (after) => plays.nextWithQueue(after),
      (flow) => keeper.heal(flow),
    );
  }

  onApplicationBootstrap(): void {
    this.plan(0);
  }

  async drain(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.passing;
    await this.doorbell.close();
  }

  private plan(afterMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.passing = this.pass().finally(() => this.plan(PASS_EVERY_MS));
    }, afterMs);
  }

  private async pass(): Promise<void> {
    try {
      await this.walk.pass();
    } catch (err) {
      if (performance.now() - this.complainedAtMs < COMPLAIN_EVERY_MS) return;
      this.complainedAtMs = performance.now();
      this.log.warn({ component: 'gates', err }, 'a pass failed; it goes on where it was');
    }
  }
}
