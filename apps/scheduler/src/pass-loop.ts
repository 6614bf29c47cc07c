/** A pass that lasts longer is taken for stuck. */
const LONGEST_PASS_MS = 15 * 60_000;

/** Of this process. */
const underWay = new Set<PassLoop>();

/** Names of loops whose pass has lasted for longer than it may: it waits for something that does not come. */
export function stuckLoops(): readonly string[] {
  return [...underWay].filter((loop) => loop.isStuck).map(({ name }) => name);
}

/**
 * Does a piece of work again and again for as long as the process lives: one pass at a time, the next one a while after the
 * last has ended. A pass that fails is told, and the next one goes on.
 */
export class PassLoop {
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> | null = null;
  private againAtOnce = false;
  private stopped = false;
  private beganAtMs = 0;

  /** @param longestMs of a pass that is not stuck */
  constructor(
    readonly name: string,
    private readonly everyMs: number,
    private readonly pass: () => Promise<unknown>,
    private readonly onFault: (error: unknown) => void,
    private readonly longestMs = LONGEST_PASS_MS,
  ) {}

  get isStuck(): boolean {
    return this.passing !== null && performance.now() - this.beganAtMs > this.longestMs;
  }

  /** @param afterMs until the first pass */
  start(afterMs = 0): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.againAtOnce = false;
      this.passing = this.run().finally(() => {
        this.passing = null;
        this.start(this.againAtOnce ? 0 : this.everyMs);
      });
    }, afterMs);
  }

  /** Begins a pass now; after the one that is under way, which may have looked too early. */
  soon(): void {
    if (this.passing) this.againAtOnce = true;
    else this.start();
  }

  /** Resolves when the pass that is under way has ended; none begins any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.passing;
  }

  private async run(): Promise<void> {
    this.beganAtMs = performance.now();
    underWay.add(this);
    try {
      await this.pass();
    } catch (error) {
      this.onFault(error);
    } finally {
      underWay.delete(this);
    }
  }
}
