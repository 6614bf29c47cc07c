/**
 * Does a piece of work again and again for as long as the process lives: one pass at a time, the next one a while after the
 * last has ended. A pass that fails is told, and the next one goes on.
 */
export class PassLoop {
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> | null = null;
  private againAtOnce = false;
  private stopped = false;

  constructor(
    private readonly everyMs: number,
    private readonly pass: () => Promise<unknown>,
    private readonly onFault: (error: unknown) => void,
  ) {}

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
    try {
      await this.pass();
    } catch (error) {
      this.onFault(error);
    }
  }
}
