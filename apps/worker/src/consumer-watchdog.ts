import type { CheckResult, HealthCheck } from '@weft/observability';

export interface ConsumerWatchdogOptions {
  /** For how long the consumer has not looked for work although it could, in ms. */
  readonly silentMs: () => number;
  /** Whether Redis takes the writes of this process on another connection: one that only answers has no work to give. */
  readonly isRedisUsable: () => boolean;
  readonly stuckAfterMs: number;
  readonly observeEveryMs: number;
  /** Called once; the process is expected to end. */
  readonly onStuck: (silentMs: number) => void;
  /** Default: the process's monotonic clock. */
  readonly monotonicMs?: () => number;
}

/**
 * A consumer that stopped taking work while Redis is usable is stuck, whatever state it reports (after outages, BullMQ workers
 * were stuck more than once). It cannot be trusted to recover: the process reports unhealthy and exits. Only silence that
 * this process observed counts: while the whole process was frozen, nothing could have looked for work.
 */
export class ConsumerWatchdog implements HealthCheck {
  readonly name = 'consumption';
  private timer?: NodeJS.Timeout;
  private observedAtMs: number;
  /** For how long the consumer has been silent while Redis was usable. */
  private silenceMs = 0;
  private isStuck = false;

  constructor(private readonly options: ConsumerWatchdogOptions) {
    this.observedAtMs = this.now();
  }

  start(): void {
    this.timer = setInterval(() => this.observe(), this.options.observeEveryMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  check(): Promise<CheckResult> {
    return Promise.resolve(
      this.isStuck ? { status: 'unhealthy', error: 'the queue consumer stopped taking work' } : { status: 'healthy' },
    );
  }

  /** Redis must have been usable for the whole time: right after an outage the consumer gets its time to reconnect. */
  observe(): void {
    const { silentMs, isRedisUsable, stuckAfterMs, observeEveryMs, onStuck } = this.options;
    const sinceLastLookMs = this.now() - this.observedAtMs;
    this.observedAtMs += sinceLastLookMs;
    const silent = silentMs();
    const isQuiet = isRedisUsable() && silent >= sinceLastLookMs;
    this.silenceMs = isQuiet ? this.silenceMs + Math.min(sinceLastLookMs, observeEveryMs) : 0;
    if (this.isStuck || this.silenceMs < stuckAfterMs) return;
    this.isStuck = true;
    onStuck(silent);
  }

  private now(): number {
    return this.options.monotonicMs?.() ?? performance.now();
  }
}
