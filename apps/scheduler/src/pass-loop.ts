import { TimeLimit } from '@weft/concurrency';

/** A pass that lasts longer counts as stuck. */
const LONGEST_PASS_MS = 15 * 60_000;

/** The loops of this process that are in a pass. */
const underWay = new Set<PassLoop>();

/** Names of the loops whose pass has exceeded its limit. */
export function stuckLoops(): readonly string[] {
  return [...underWay].filter((loop) => loop.isStuck).map(({ name }) => name);
}

/**
 * Repeats a piece of work for as long as the process lives: one pass at a time, the next one `everyMs` after the last has
 * ended. A pass that fails is reported, and the next one is made as usual.
 */
export class PassLoop {
  private timer?: NodeJS.Timeout;
  private passing: Promise<void> | null = null;
  private againAtOnce = false;
  private stopped = false;
  /** The pass lasts for longer than it may. */
  isStuck = false;

  /** @param longestMs a pass that lasts longer counts as stuck */
  constructor(
    readonly name: string,
    private readonly everyMs: number,
    private readonly pass: () => Promise<unknown>,
    private readonly onFault: (error: unknown) => void,
    private readonly longestMs = LONGEST_PASS_MS,
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

  /** Starts a pass now, or directly after the pass that is in progress, which may have read too early. */
  soon(): void {
    if (this.passing) this.againAtOnce = true;
    else this.start();
  }

  /** Resolves when the pass that is in progress has ended. No pass starts any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.passing;
  }

  private async run(): Promise<void> {
    const limit = new TimeLimit(this.longestMs, () => (this.isStuck = true));
    underWay.add(this);
    try {
      await this.pass();
    } catch (error) {
      this.onFault(error);
    } finally {
      limit.end();
      this.isStuck = false;
      underWay.delete(this);
    }
  }
}
