import type { PlayState } from '@weft/contracts';
import { bucketOf, type DurationBuckets } from './duration-buckets.js';

/** What happened to plays: of a flow or of a company, within a minute or an hour. */
export interface Tally {
  readonly started: number;
  readonly done: number;
  readonly failed: number;
  /** Ended by a caller. */
  readonly stopped: number;
  /** How long those that are done or failed took, from their start. */
  readonly durations: DurationBuckets;
  /** When the last one ended; null: none did. */
  readonly lastAt: Date | null;
}

/** A tally that is being counted. */
export class Counting implements Tally {
  started = 0;
  done = 0;
  failed = 0;
  stopped = 0;
  readonly durations: Record<string, number> = {};
  private lastAtMs = 0;

  get lastAt(): Date | null {
    return this.lastAtMs === 0 ? null : new Date(this.lastAtMs);
  }

  /** @param durationMs null: it never started @param atMs epoch ms */
  end(state: PlayState, durationMs: number | null, atMs: number): void {
    if (state === 'DONE') this.done += 1;
    else if (state === 'FAIL') this.failed += 1;
    else if (state === 'STOP') this.stopped += 1;
    else return; // SKIP: it was no run
    if (atMs > this.lastAtMs) this.lastAtMs = atMs;
    if (durationMs !== null && state !== 'STOP') this.addDurations(bucketOf(durationMs), 1);
  }

  add(other: Tally): void {
    this.started += other.started;
    this.done += other.done;
    this.failed += other.failed;
    this.stopped += other.stopped;
    for (const bucket in other.durations) this.addDurations(bucket, other.durations[bucket] ?? 0);
    this.lastAtMs = Math.max(this.lastAtMs, other.lastAt?.getTime() ?? 0);
  }

  /** As it is now, and stays. */
  copy(): Tally {
    const { started, done, failed, stopped, lastAt } = this;
    return { started, done, failed, stopped, lastAt, durations: { ...this.durations } };
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
