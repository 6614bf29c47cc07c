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
}

/**
 * A consumer that stopped taking work while Redis answers is wedged, however healthy it says it is (after outages, BullMQ
 * workers did that more than once). It cannot be trusted to recover: the process reports unhealthy and exits.
 */
export class ConsumptionWatch implements HealthCheck {
  readonly name = 'consumption';
  private timer?: NodeJS.Timeout;
  private answeringSinceMs: number | null = null;
  private wedged = false;

  constructor(private readonly options: ConsumptionWatchOptions) {}

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
    const { wedgedAfterMs, onWedged } = this.options;
    const answers = await this.options.redisAnswers();
    if (!answers) this.answeringSinceMs = null;
    else this.answeringSinceMs ??= performance.now();
    const silent = this.options.silentMs();
    const answeringMs = this.answeringSinceMs === null ? 0 : performance.now() - this.answeringSinceMs;
    if (this.wedged || silent < wedgedAfterMs || answeringMs < wedgedAfterMs) return;
    this.wedged = true;
    onWedged(silent);
  }
}
