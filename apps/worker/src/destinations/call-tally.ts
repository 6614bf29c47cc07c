import type { CallEvidence } from '@weft/engine';

/** The newest calls that count, and how old they may be. */
const MOST_CALLS = 50;
const OLDEST_MS = 30_000;
/** Calls of the last seconds are not in the rate: they may be repeats of those that fail. */
const LEFT_OUT_SECONDS = 2;
const RATE_SECONDS = 10;
const SECONDS_KEPT = RATE_SECONDS + LEFT_OUT_SECONDS + 1;

/** What one worker saw of the calls of a company to a destination. Times are monotonic. */
export class CallTally {
  private ends: { readonly atMs: number; readonly failed: boolean }[] = [];
  /** Calls that began in each of the last seconds, by the second. */
  private readonly begun = new Map<number, number>();
  private firstSecond: number | null = null;
  private phase: unknown = undefined;
  private phases = 0;

  begin(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    this.firstSecond ??= second;
    const count = this.begun.get(second);
    this.begun.set(second, (count ?? 0) + 1);
    if (count !== undefined) return;
    for (const one of this.begun.keys()) if (one <= second - SECONDS_KEPT) this.begun.delete(one);
  }

  end(nowMs: number, failed: boolean): void {
    this.ends.push({ atMs: nowMs, failed });
    if (this.ends.length > MOST_CALLS) this.ends.shift();
  }

  /**
   * When another phase of the destination has begun, what was seen before does not count any more.
   *
   * @returns how many there were: calls of earlier ones do not count when they end
   */
  enter(phase: unknown): number {
    if (phase !== this.phase) {
      this.phase = phase;
      this.phases += 1;
      this.ends = [];
    }
    return this.phases;
  }

  isIn(nth: number): boolean {
    return nth === this.phases;
  }

  seen(nowMs: number): CallEvidence {
    let calls = 0;
    let failed = 0;
    for (const end of this.ends) {
      if (end.atMs <= nowMs - OLDEST_MS) continue;
      calls += 1;
      if (end.failed) failed += 1;
    }
    return { calls, failed };
  }

  /** Calls in a second, in the seconds before the last ones; in all whole ones there were, while these are too few. */
  rate(nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    const from = Math.max(this.firstSecond ?? second, second - RATE_SECONDS - LEFT_OUT_SECONDS);
    const hasPast = second - from > LEFT_OUT_SECONDS;
    const to = hasPast ? second - LEFT_OUT_SECONDS : Math.max(second, from + 1);
    let calls = 0;
    for (const [one, count] of this.begun) if (one >= from && one < to) calls += count;
    return calls / (to - from);
  }
}
