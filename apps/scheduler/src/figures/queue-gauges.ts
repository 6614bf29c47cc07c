import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { LOG, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { madeAt } from '@weft/kernel';
import { Metrics, rarely } from '@weft/observability';
import { Mongo, OpenWorkRepository, SystemScope } from '@weft/persistence';
import { LiveWorkers, QueueInspector, QueueKeys, RunWindow } from '@weft/queue';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { PassLoop } from '../pass-loop.js';

const LOOK_EVERY_MS = 5_000;
const ALL = new SystemScope('gauges are of the whole installation');

/** Keeps the gauges of what waits, over all companies: window, backlog, age of the oldest. Each scheduler shows the same. */
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
    this.window = new RunWindow(redis, keys);
    this.workers = new LiveWorkers(redis, keys);
    this.work = new OpenWorkRepository(mongo);
    const tell = rarely((err) => log.warn({ component: 'figures', err }, 'what waits could not be looked at'));
    this.loop = new PassLoop(LOOK_EVERY_MS, () => this.look(), tell);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async drain(): Promise<void> {
    await this.loop.stop();
    await this.queue.close();
  }

  private async look(): Promise<void> {
    const now = this.mongo.serverNow();
    const [shards, behind, queued] = await Promise.all([
      this.queue.shards(),
      this.window.waitingOfAll(),
      this.work.queued(ALL, this.settings.run.backlogMax),
    ]);
    const since = shards.flatMap(({ oldestRungAt }) => oldestRungAt?.getTime() ?? []);
    if (queued.oldestId !== null) since.push(madeAt(queued.oldestId));
    this.metrics.runWindow(this.workers.window(this.settings.run.window, now));
    this.metrics.backlog(shards.reduce((sum, { waiting }) => sum + waiting, behind + queued.count));
    this.metrics.queueAge(since.length === 0 ? 0 : Math.max(0, now - Math.min(...since)) / 1_000);
  }
}
