import type { FinalState } from '@weft/contracts';
import { bucketOf, type DurationBuckets } from './duration-buckets.js';

/** How a play ended, as far as it is counted: FAIL by itself, or because somebody cancelled it. */
export type CountedEnd = FinalState | 'CANCELLED';

/** What happened to plays: of a flow or of a company, within a minute or an hour. */
export interface Tally {
  readonly started: number;
  /** Ended DONE or FILTERED. */
  readonly done: number;
  /** Ended FAIL; those that somebody cancelled are not among them. */
  readonly failed: number;
  /** Ended FAIL because somebody cancelled them. */
  readonly cancelled: number;
  /** How long those that ended took, from their start. */
  readonly durations: DurationBuckets;
  /** When the last one ended; null: none did. */
  readonly lastAt: Date | null;
}

/** A tally that is being counted. */
export class Counting implements Tally {
  started = 0;
  done = 0;
  failed = 0;
  cancelled = 0;
  readonly durations: Record<string, number> = {};
  private lastAtMs = 0;

  get lastAt(): Date | null {
    return this.lastAtMs === 0 ? null : new Date(this.lastAtMs);
  }

  /** @param durationMs null: it never started @param atMs epoch ms */
  end(end: CountedEnd, durationMs: number | null, atMs: number): void {
    if (end === 'SKIP') return; // skipped by a condition: it was not a run
    if (end === 'CANCELLED') this.cancelled += 1;
    else if (end === 'FAIL') this.failed += 1;
    else this.done += 1;
    if (atMs > this.lastAtMs) this.lastAtMs = atMs;
    // how long somebody let it run says nothing about the flow
    if (durationMs !== null && end !== 'CANCELLED') this.addDurations(bucketOf(durationMs), 1);
  }

  add(other: Tally): void {
    this.started += other.started;
    this.done += other.done;
    this.failed += other.failed;
    this.cancelled += other.cancelled;
    for (const bucket in other.durations) this.addDurations(bucket, other.durations[bucket] ?? 0);
    this.lastAtMs = Math.max(this.lastAtMs, other.lastAt?.getTime() ?? 0);
  }

  /** As it is now, and stays. */
  copy(): Tally {
    const { started, done, failed, cancelled, lastAt } = this;
    return { started, done, failed, cancelled, lastAt, durations: { ...this.durations } };
  }

  private addDurations(bucket: number | string, count: number): void {
    this.durations[bucket] = (this.durations[bucket] ?? 0) + count;
  }
}

export function sumOf(tallies: Iterable<Tally>): Tally {
  const sum = new Counting();
  for (const tally of tallies) sum.add(tally);
  return sum;
}
