import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { madeAt } from '@weft/kernel';
import { Metrics, type QueueStats } from '@weft/observability';
import { Mongo, SystemScope } from '@weft/store';
import { OpenWorkRepository } from '@weft/records';
import { LiveWorkers, QueueInspector, type LiveWorker, type ShardDepth } from '@weft/queue';

const ALL = new SystemScope('gauges are of the whole installation');

/**
 * Keeps the gauges of what waits and runs, over all companies: window, backlog, running plays, age of the oldest. Each scheduler exports the same
 * values; while a store is unreachable none is exported, rather than an outdated one.
 */
@Injectable()
export class QueueGauges {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    private readonly queue: QueueInspector,
    private readonly workers: LiveWorkers,
    private readonly work: OpenWorkRepository,
  ) {}

  /** @throws while Redis or MongoDB is unreachable */
  async measure(): Promise<void> {
    try {
      this.metrics.queue(await this.look());
    } catch (error) {
      this.metrics.queue(null);
      throw error;
    }
  }

  private async look(): Promise<QueueStats> {
    const now = this.mongo.serverNow();
    const { backlogMax } = this.settings.run;
    const [shards, behind, queued, due, lanes, runWindow, workers] = await Promise.all([
      this.queue.shards(),
      this.work.outsideWindow(ALL, backlogMax),
      this.work.queued(ALL, backlogMax),
      this.work.due(ALL, new Date(now), backlogMax),
      this.work.lanes(ALL, backlogMax),
      this.workers.windowSizeNow(),
      this.workers.list(),
    ]);
    const backlog = shards.reduce((sum, { waiting }) => sum + waiting, behind.count + queued.count + due);
    const since = backlog === 0 ? null : await this.work.waitingSince(ALL);
    const oldest = Math.min(since?.getTime() ?? now, queued.oldestId === null ? now : madeAt(queued.oldestId));
    const running = runningPlays(shards, workers);
    return { runWindow, backlog, running, lanes, oldestSeconds: Math.max(0, now - oldest) / 1_000 };
  }
}

/**
 * The larger of two counts: after Redis lost its data there are no jobs although workers execute plays; a worker that was
 * killed counts no more plays although their jobs are still with it.
 */
function runningPlays(shards: readonly ShardDepth[], workers: readonly LiveWorker[]): number {
  const taken = shards.reduce((sum, { active }) => sum + active, 0);
  const reported = workers.reduce((sum, { running }) => sum + (running ?? 0), 0);
  return Math.max(taken, reported);
}
