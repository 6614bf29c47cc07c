import type { CheckResult, HealthCheck } from '@weft/observability';

export interface ConsumptionWatchOptions {
  /** How long the consumer has not looked for work though it could, in ms. */
  readonly silentMs: () => number;
  /** Whether Redis answers this process on another connection. */
  readonly redisAnswers: () => Promise<boolean>;
  readonly wedgedAfterMs: number;
  readonly lookEveryMs: number;
  /** Called once; the process is expected to end. */
  readonly onWedged: (silentMs: number) => void;
  /** Default: the process's monotonic clock. */
  readonly monotonicMs?: () => number;
}

/**
 * A consumer that stopped taking work while Redis answers is wedged, however healthy it says it is (after outages, BullMQ
 * workers did that more than once). It cannot be trusted to recover: the process reports unhealthy and exits. Only silence
 * that was watched counts: while the whole process was frozen, nobody could have looked for work.
 */
export class ConsumptionWatch implements HealthCheck {
  readonly name = 'consumption';
  private timer?: NodeJS.Timeout;
  private lookedAtMs: number;
  /** How long the consumer was silent while Redis answered. */
  private silenceMs = 0;
  private wedged = false;

  constructor(private readonly options: ConsumptionWatchOptions) {
    this.lookedAtMs = this.now();
  }

  start(): void {
    this.timer = setInterval(() => void this.look(), this.options.lookEveryMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  check(): Promise<CheckResult> {
    return Promise.resolve(
      this.wedged ? { status: 'unhealthy', error: 'the queue consumer stopped taking work' } : { status: 'healthy' },
    );
  }

  /** Redis must have answered for the whole time: right after an outage the consumer is given its time to reconnect. */
  async look(): Promise<void> {
    const { silentMs, redisAnswers, wedgedAfterMs, lookEveryMs, onWedged } = this.options;
    const answers = await redisAnswers();
    const sinceLastLookMs = this.now() - this.lookedAtMs;
    this.lookedAtMs += sinceLastLookMs;
    const silent = silentMs();
    const isQuiet = answers && silent >= sinceLastLookMs;
    this.silenceMs = isQuiet ? this.silenceMs + Math.min(sinceLastLookMs, lookEveryMs) : 0;
    if (this.wedged || this.silenceMs < wedgedAfterMs) return;
    this.wedged = true;
    onWedged(silent);
  }

  private now(): number {
    return this.options.monotonicMs?.() ?? performance.now();
  }
}
