import type { HealingLoop } from './healing-loop.js';

/** Workers that restart are back long before. */
const STEADY_MS = 10 * 60_000;
/** After a longer time without a look nothing is known of the window in between. */
const MAX_GAP_MS = 2 * 60_000;
/** Looks that come sooner are remembered as one, unless the window has grown. */
const SOON_MS = 1_000;

export interface SteadyWindowDeps {
  /** How many plays of a company are rung for at once, now. */
  readonly windowSize: () => number;
  readonly liveWorkers: () => number;
  readonly monotonicMs: () => number;
}

/**
 * How many plays a gate admits for the time being whatever its flow's limit: the largest size of the window in the last minutes.
 * The size follows the number of workers, so it shrinks while they restart, and then a gate that seems full has room soon. It looks
 * in a loop of its own: a pass that asks may take minutes.
 */
export class SteadyWindow implements HealingLoop {
  readonly name = 'size of the window';
  readonly everyMs = 10_000;
  private sizes: readonly { readonly atMs: number; readonly size: number }[] = [];
  private sinceMs = 0;

  constructor(private readonly deps: SteadyWindowDeps) {}

  pass(): Promise<number> {
    return Promise.resolve(this.size());
  }

  /** Looks as well. @returns infinite: it is not known, because this process has just started, or no worker is alive */
  size(): number {
    const { windowSize, liveWorkers, monotonicMs } = this.deps;
    const atMs = monotonicMs();
    const lastMs = this.sizes.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
    if (liveWorkers() === 0) {
      this.sizes = [];
      return Infinity;
    }
    if (atMs - lastMs > MAX_GAP_MS) {
      this.sizes = [];
      this.sinceMs = atMs;
    }
    const size = windowSize();
    const last = this.sizes.at(-1);
    if (!last || atMs - last.atMs >= SOON_MS || size > last.size) {
      const recent = this.sizes.filter((seen) => atMs - seen.atMs <= STEADY_MS);
      this.sizes = [...recent, { atMs, size }];
    }
    return atMs - this.sinceMs < STEADY_MS ? Infinity : Math.max(...this.sizes.map(({ size }) => size));
  }
}
