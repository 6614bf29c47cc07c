import { TimeLimit } from '@weft/concurrency';
import type { PassOptions } from './pass.js';

/** A pass that lasts longer counts as stuck. */
const LONGEST_PASS_MS = 15 * 60_000;
/** After the last call of `wake` a pass keeps its rhythm for this long. */
const AWAKE_FOR_MS = 10_000;

export interface PassEnd {
  readonly tookMs: number;
  /** Why it failed; undefined: it did not. */
  readonly fault?: unknown;
}

/** Repeats one pass: one at a time, the next one `everyMs` after the last has ended, or `restMs` while nothing wakes it. */
export class PassLoop {
  readonly name: string;
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> | null = null;
  private againAtOnce = false;
  private isResting = false;
  private wokenAtMs = performance.now();
  private readonly stopping = new AbortController();
  /** The pass lasts for longer than it may. */
  isStuck = false;

  constructor(
    private readonly options: PassOptions,
    private readonly pass: (signal: AbortSignal) => Promise<unknown>,
    private readonly onEnd: (end: PassEnd) => void,
  ) {
    this.name = options.name;
  }

  /** @param afterMs until the first pass */
  start(afterMs = 0): void {
    if (this.stopping.signal.aborted) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.againAtOnce = false;
      this.isResting = false;
      this.passing = this.run().finally(() => {
        const { everyMs, restMs = everyMs } = this.options;
        this.passing = null;
        this.isResting = performance.now() - this.wokenAtMs >= AWAKE_FOR_MS;
        this.start(this.againAtOnce ? 0 : this.isResting ? restMs : everyMs);
      });
    }, afterMs);
  }

  /** Starts a pass now, or directly after the pass that is in progress, which may have read too early. */
  soon(): void {
    if (this.passing) this.againAtOnce = true;
    else this.start();
  }

  /** There may be work: the pass does not rest, or rests no more. */
  wake(): void {
    this.wokenAtMs = performance.now();
    if (this.isResting) this.soon();
  }

  /** Resolves when the pass that is in progress has ended. No pass starts any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.passing;
  }

  private async run(): Promise<void> {
    const limit = new TimeLimit(this.options.longestMs ?? LONGEST_PASS_MS, () => (this.isStuck = true));
    const startedAt = performance.now();
    const tookMs = (): number => performance.now() - startedAt;
    try {
      await this.pass(this.stopping.signal);
      this.onEnd({ tookMs: tookMs() });
    } catch (fault) {
      this.onEnd({ tookMs: tookMs(), fault });
    } finally {
      limit.end();
      this.isStuck = false;
    }
  }
}
