import type { OnApplicationBootstrap } from '@nestjs/common';
import type { FinalState } from '@weft/contracts';
import { warnRarely, type Metrics } from '@weft/observability';
import { SystemScope, type Mongo } from '@weft/store';
import { StatsCounters, StatsRepository, type CountedFlow } from '@weft/records';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Drainable } from '@weft/kernel';

const EVERY_MS = 1_000;
/** What was counted is stored after this time at the latest, however many flows there are. */
const AT_MOST_MS = 10_000;
/** The more rows there are to store, the longer it counts before it stores them again. */
const MS_A_ROW = 5;
const ROWS_AT_ONCE = 2_000;
/**
 * How often the last write of a process is tried, unless MongoDB takes long to refuse it: no other process has these counts.
 */
const LAST_TRIES = 3;
const LAST_TRIES_MS = 1_000;

const ALL = new SystemScope('plays of all companies are counted');

/**
 * Counts starts and ends of plays for `/metrics` and for the statistics of flows; called by every writer of such a change. The
 * counts are stored for many plays at once, in parallel with their writes; a process that is killed loses those of the last second.
 */
export class PlayStats implements OnApplicationBootstrap, Drainable {
  /** After every provider that ends plays. */
  readonly drainOrder = 100;
  private readonly counters = new StatsCounters(randomBytes(6).toString('hex'));
  private readonly figures: StatsRepository;
  private readonly tell: (error: unknown) => void;
  private timer?: NodeJS.Timeout;
  private storing: Promise<number | null> | null = null;
  private stopped = false;

  constructor(
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    log: Logger,
  ) {
    this.figures = new StatsRepository(mongo);
    this.tell = warnRarely(log, 'figures', 'figures could not be stored; they are kept');
  }

  onApplicationBootstrap(): void {
    this.wait(EVERY_MS);
  }

  /** A worker started a play for the first time. @param waitedMs since it could have started */
  started(flow: CountedFlow, waitedMs: number): void {
    this.metrics.playStarted(waitedMs / 1_000);
    this.counters.started(flow, this.mongo.serverNow());
  }

  /** A play's final state is stored. @param startedAt null: it never started @param isCancelled by somebody */
  ended(flow: CountedFlow, state: FinalState, startedAt: Date | null, isCancelled = false): void {
    const now = this.mongo.serverNow();
    const ms = startedAt && Math.max(0, now - startedAt.getTime());
    this.metrics.playEnded(state, flow.flowId, ms === null ? null : ms / 1_000);
    this.metrics.companyPlay(flow.company_id);
    this.counters.ended(flow, isCancelled ? 'CANCELLED' : state, ms, now);
  }

  async drain(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.storing;
    const until = performance.now() + LAST_TRIES_MS;
    for (let failed = 0; failed < LAST_TRIES;) {
      const rows = await this.store();
      if (rows !== null && rows < ROWS_AT_ONCE) return;
      if (rows !== null) continue;
      failed += 1;
      if (performance.now() > until) return;
    }
  }

  private wait(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.storing = this.store();
      void this.storing.then((rows) => this.wait(Math.min(AT_MOST_MS, Math.max(EVERY_MS, (rows ?? 0) * MS_A_ROW))));
    }, ms).unref();
  }

  /** @returns how many rows; null: they could not be stored */
  private async store(): Promise<number | null> {
    const rows = this.counters.changed(ROWS_AT_ONCE, this.mongo.serverNow());
    if (rows.length === 0) return 0;
    try {
      await this.figures.store(ALL, rows);
      this.counters.written(rows);
      return rows.length;
    } catch (error) {
      this.tell(error);
      return null;
    }
  }
}
