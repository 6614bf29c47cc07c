import { Inject, Injectable } from '@nestjs/common';
import type { Drainable } from '@weft/kernel';
import { LOG, warnRarely } from '@weft/observability';
import { LayerCounters, StatsRepository, type CountedFlow, type EndedLayer } from '@weft/records';
import { Mongo, SystemScope } from '@weft/store';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';

const EVERY_MS = 5_000;
const ROWS_AT_ONCE = 200;

const ALL = new SystemScope('layers of all companies are counted');

/**
 * Counts how layers end in this worker, for the figures of flows. The counts are stored for many plays at once, in parallel with
 * their writes; a process that is killed loses those of the last seconds.
 */
@Injectable()
export class LayerStats implements Drainable {
  /** After every provider that runs layers. */
  readonly drainOrder = 100;
  private readonly counters = new LayerCounters(randomBytes(6).toString('hex'));
  private readonly tell: (error: unknown) => void;
  private timer: NodeJS.Timeout | null = null;
  private storing = Promise.resolve();

  constructor(
    @Inject(LOG) log: Logger,
    private readonly mongo: Mongo,
    private readonly figures: StatsRepository,
  ) {
    this.tell = warnRarely(log, 'figures', 'figures of layers could not be stored; they are kept');
  }

  ended(flow: CountedFlow, layers: readonly EndedLayer[]): void {
    if (layers.length === 0) return;
    this.counters.ended(flow, layers, this.mongo.serverNow());
    this.timer ??= setTimeout(() => {
      this.timer = null;
      // one after the other: an older row must not replace a newer one
      this.storing = this.storing.then(() => this.store());
    }, EVERY_MS).unref();
  }

  async drain(): Promise<void> {
    clearTimeout(this.timer ?? undefined);
    await this.storing;
    await this.store();
  }

  /** All that has changed. What could not be stored is stored with the next change. */
  private async store(): Promise<void> {
    try {
      for (;;) {
        const rows = this.counters.changed(ROWS_AT_ONCE, this.mongo.serverNow());
        if (rows.length === 0) return;
        await this.figures.storeLayers(ALL, rows);
        this.counters.written(rows);
      }
    } catch (error) {
      this.tell(error);
    }
  }
}
