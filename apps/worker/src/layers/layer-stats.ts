import { Inject, Injectable } from '@nestjs/common';
import type { Drainable } from '@weft/kernel';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { LayerCounters, StatsRepository, UsageCounters, type CountedFlow, type EndedLayer } from '@weft/records';
import { Mongo, SystemScope } from '@weft/store';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';

const EVERY_MS = 5_000;
const ROWS_AT_ONCE = 200;
/** Nobody else has these counts. */
const LAST_TRIES = 2;

const ALL = new SystemScope('layers of all companies are counted');

/**
 * Counts how layers end in this worker, for the figures of flows, and what companies use. The counts are stored for many plays at once, in parallel with
 * their writes; a process that is killed loses those of the last seconds.
 */
@Injectable()
export class LayerStats implements Drainable {
  /** After every provider that runs layers. */
  readonly drainOrder = 100;
  private readonly counters = new LayerCounters(randomBytes(6).toString('hex'));
  private readonly usage = new UsageCounters(randomBytes(6).toString('hex'));
  private readonly tell: (error: unknown) => void;
  private timer: NodeJS.Timeout | null = null;
  private storing = Promise.resolve();
  private isStopped = false;

  constructor(
    @Inject(LOG) log: Logger,
    private readonly mongo: Mongo,
    private readonly figures: StatsRepository,
    private readonly metrics: Metrics,
  ) {
    this.tell = warnRarely(log, 'figures', 'figures of layers could not be stored; they are kept');
  }

  ended(flow: CountedFlow, layers: readonly EndedLayer[]): void {
    if (layers.length === 0) return;
    const now = this.mongo.serverNow();
    this.counters.ended(flow, layers, now);
    const ran = layers.filter(({ state }) => state === 'DONE' || state === 'FAIL');
    const layerMs = ran.reduce((sum, each) => sum + msOf(each), 0);
    this.usage.add(flow.company_id, { layers: ran.length, layerMs }, now);
    this.metrics.companyLayers(flow.company_id, layerMs / 1_000);
    this.storeLater();
  }

  /** A layer has called a model. @param dollars null: the price is unknown */
  modelUsed(companyId: string, tokens: number, dollars: number | null): void {
    this.usage.add(companyId, { tokens, dollars: dollars ?? 0 }, this.mongo.serverNow());
    this.metrics.companyModels(companyId, dollars ?? 0);
    this.storeLater();
  }

  async drain(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer ?? undefined);
    await this.storing;
    for (let tries = 0; tries < LAST_TRIES && !(await this.store());) tries += 1;
  }

  private storeLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      // one after the other: an older row must not replace a newer one
      this.storing = this.storing.then(async () => {
        // two workers that make one row at once: one of them is refused
        if (!(await this.store()) && !this.isStopped) this.storeLater();
      });
    }, EVERY_MS).unref();
  }

  /** All that has changed. @returns false: it could not be stored, and is kept */
  private async store(): Promise<boolean> {
    try {
      for (;;) {
        const now = this.mongo.serverNow();
        const rows = this.counters.changed(ROWS_AT_ONCE, now);
        const used = this.usage.changed(ROWS_AT_ONCE, now);
        if (rows.length + used.length === 0) return true;
        await this.figures.storeLayers(ALL, rows);
        this.counters.written(rows);
        await this.figures.storeUsage(ALL, used);
        this.usage.written(used);
      }
    } catch (error) {
      this.tell(error);
      return false;
    }
  }
}

function msOf({ startedAt, completedAt }: EndedLayer): number {
  return Math.max(0, completedAt.getTime() - startedAt.getTime());
}
