import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { madeAt } from '@weft/kernel';
import { Metrics, type LabelStats, type QueueStats } from '@weft/observability';
import { Mongo, SystemScope, TenantScope } from '@weft/store';
import { CompanyRepository, OpenWorkRepository } from '@weft/records';
import { LiveWorkers, QueueInspector, workersOf, type LiveWorker, type ShardDepth } from '@weft/queue';

const ALL = new SystemScope('gauges are of the whole installation');

/**
 * Keeps the gauges of what waits and runs: window, backlog, running plays and age of the oldest, and for each label of workers its backlog,
 * running plays and workers. Each scheduler exports the same values; while a store is unreachable none is exported, rather than an
 * outdated one.
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
    private readonly companies: CompanyRepository,
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
    const [shards, outside, lanes, runWindow, workers, labelled] = await Promise.all([
      this.queue.shards(),
      this.outsideQueue(ALL, now),
      this.work.lanes(ALL, this.settings.run.backlogMax),
      this.workers.windowSizeNow(),
      this.workers.list(),
      this.companies.workerLabels(ALL),
    ]);
    const { labels, outsideOfLabels } = await this.labels(shards, workers, labelled, now);
    const own = shards.filter(({ label }) => label === null);
    const backlog = waitingIn(own) + Math.max(0, outside.count - outsideOfLabels);
    const waits = backlog > 0 || [...labels.values()].some((label) => label.backlog > 0);
    const since = waits ? await this.work.waitingSince(ALL) : null;
    const oldest = Math.min(since?.getTime() ?? now, outside.queuedId === null ? now : madeAt(outside.queuedId));
    const running = runningPlays(own, workersOf(workers, null));
    return { runWindow, backlog, running, labels, lanes, oldestSeconds: Math.max(0, now - oldest) / 1_000 };
  }

  /** Of the labels that companies or live workers have. */
  private async labels(
    shards: readonly ShardDepth[],
    workers: readonly LiveWorker[],
    labelled: ReadonlyMap<string, string>,
    now: number,
  ): Promise<{ readonly labels: ReadonlyMap<string, LabelStats>; readonly outsideOfLabels: number }> {
    const stats = new Map<string, LabelStats>();
    let outsideOfLabels = 0;
    const companies = Map.groupBy(labelled.keys(), (companyId) => labelled.get(companyId) ?? '');
    for (const label of new Set([...labelled.values(), ...workers.flatMap((worker) => worker.label ?? [])])) {
      const scopes = (companies.get(label) ?? []).map((companyId) => new TenantScope(companyId));
      const outside = await Promise.all(scopes.map((scope) => this.outsideQueue(scope, now)));
      const count = outside.reduce((sum, of) => sum + of.count, 0);
      outsideOfLabels += count;
      const own = shards.filter((shard) => shard.label === label);
      const crew = workersOf(workers, label);
      stats.set(label, { backlog: waitingIn(own) + count, running: runningPlays(own, crew), workers: crew.length });
    }
    return { labels: stats, outsideOfLabels };
  }

  /** Plays that could run and have no job yet. */
  private async outsideQueue(scope: TenantScope | SystemScope, now: number) {
    const { backlogMax } = this.settings.run;
    const [behind, queued, due] = await Promise.all([
      this.work.outsideWindow(scope, backlogMax),
      this.work.queued(scope, backlogMax),
      this.work.due(scope, new Date(now), backlogMax),
    ]);
    return { count: behind.count + queued.count + due, queuedId: queued.oldestId };
  }
}

function waitingIn(shards: readonly ShardDepth[]): number {
  return shards.reduce((sum, { waiting }) => sum + waiting, 0);
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
