import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { LOG, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { madeAt } from '@weft/kernel';
import { Metrics, warnRarely, type QueueFigures } from '@weft/observability';
import { Mongo, OpenWorkRepository, SystemScope } from '@weft/persistence';
import { LiveWorkers, QueueInspector, QueueKeys, RunWindow } from '@weft/queue';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { PassLoop } from '../pass-loop.js';

const LOOK_EVERY_MS = 5_000;
const ALL = new SystemScope('gauges are of the whole installation');

/**
 * Keeps the gauges of what waits, over all companies: window, backlog, age of the oldest. Each scheduler shows the same; while
 * a store is away none of them is shown, rather than what was true before.
 */
@Injectable()
export class QueueGauges implements OnApplicationBootstrap, Drainable {
  private readonly queue: QueueInspector;
  private readonly window: RunWindow;
  private readonly workers: LiveWorkers;
  private readonly work: OpenWorkRepository;
  private readonly loop: PassLoop;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) log: Logger,
    @Inject(REDIS) redis: Redis,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
  ) {
    const keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
    this.queue = new QueueInspector(redis, keys);
    this.window = new RunWindow(redis, keys, { serverNow: () => mongo.serverNow() });
    this.workers = new LiveWorkers(redis, keys);
    this.work = new OpenWorkRepository(mongo);
    const tell = warnRarely(log, 'figures', 'what waits could not be looked at');
    this.loop = new PassLoop('queue gauges', LOOK_EVERY_MS, () => this.measure(), tell);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async drain(): Promise<void> {
    await this.loop.stop();
    await this.queue.close();
  }

  /** @throws while Redis or MongoDB is away */
  async measure(): Promise<void> {
    try {
      this.metrics.queue(await this.look());
    } catch (error) {
      this.metrics.queue(null);
      throw error;
    }
  }

  private async look(): Promise<QueueFigures> {
    const now = this.mongo.serverNow();
    const { window, backlogMax } = this.settings.run;
    const [shards, behind, queued, due, runWindow] = await Promise.all([
      this.queue.shards(),
      this.window.waitingOfAll(),
      this.work.queued(ALL, backlogMax),
      this.work.due(ALL, new Date(now), backlogMax),
      this.workers.windowNow(window, now),
    ]);
    const backlog = shards.reduce((sum, { waiting }) => sum + waiting, behind + queued.count + due);
    const since = backlog === 0 ? null : await this.work.waitingSince(ALL);
    const oldest = Math.min(since?.getTime() ?? now, queued.oldestId === null ? now : madeAt(queued.oldestId));
    return { runWindow, backlog, oldestSeconds: Math.max(0, now - oldest) / 1_000 };
  }
}
