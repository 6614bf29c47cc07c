import type { LayerState } from '@weft/contracts';
import { bucketOf, type DurationBuckets } from './duration-buckets.js';
import type { CountedFlow } from './stats-counters.js';
import { LAYER_SPAN } from './stats.schema.js';

/** What a layer of plays did, in an hour or in more. */
export interface LayerTally {
  readonly ref: string;
  /** Ended DONE. */
  readonly done: number;
  /** Ended FAIL, also where the play went on. */
  readonly failed: number;
  /** Did not run: SKIP or FILTERED. */
  readonly skipped: number;
  /** Milliseconds of all that ended DONE or FAIL together, waits included. */
  readonly ms: number;
  readonly durations: DurationBuckets;
}

/** What one process counted of the layers of one flow in one hour: all of it, not only what is new. */
export interface LayerRow extends CountedFlow {
  readonly id: string;
  /** As of `StatsRow`. */
  readonly counter: string;
  readonly at: Date;
  readonly layers: readonly LayerTally[];
}

/** A layer that has ended, as far as it is counted. */
export interface EndedLayer {
  readonly ref: string;
  readonly state: LayerState;
  readonly startedAt: Date;
  readonly completedAt: Date;
}

class Counting implements LayerTally {
  done = 0;
  failed = 0;
  skipped = 0;
  ms = 0;
  readonly durations: Record<string, number> = {};

  constructor(readonly ref: string) {}

  end({ state, startedAt, completedAt }: EndedLayer): void {
    if (state !== 'DONE' && state !== 'FAIL') {
      this.skipped += 1;
      return;
    }
    if (state === 'DONE') this.done += 1;
    else this.failed += 1;
    const ms = Math.max(0, completedAt.getTime() - startedAt.getTime());
    this.ms += ms;
    const bucket = bucketOf(ms);
    this.durations[bucket] = (this.durations[bucket] ?? 0) + 1;
  }

  add(other: LayerTally): void {
    this.done += other.done;
    this.failed += other.failed;
    this.skipped += other.skipped;
    this.ms += other.ms;
    for (const bucket in other.durations)
      this.durations[bucket] = (this.durations[bucket] ?? 0) + (other.durations[bucket] ?? 0);
  }

  copy(): LayerTally {
    const { ref, done, failed, skipped, ms, durations } = this;
    return { ref, done, failed, skipped, ms, durations: { ...durations } };
  }
}

interface Kept {
  readonly row: Omit<LayerRow, 'layers'>;
  readonly layers: Map<string, Counting>;
  changes: number;
  /** Of these, those that the last row has, and those that are stored. */
  given: number;
  written: number;
}

/** How many layers are counted at a time, of all flows together; one takes about half a kilobyte. */
export interface LayerBounds {
  readonly inAll: number;
  readonly ofCompany: number;
}

const BOUNDS: LayerBounds = { inAll: 100_000, ofCompany: 5_000 };

/** Counts in memory how the layers of flows end, by hour. Layers beyond the bounds are not counted in that hour. */
export class LayerCounters {
  private hourMs = 0;
  private current = new Map<string, Kept>();
  private readonly kept = new Set<Kept>();
  private readonly ofCompany = new Map<string, number>();
  private inAll = 0;
  private made = 0;

  /** @param process as of `StatsCounters` */
  constructor(
    private readonly process: string,
    private readonly bounds = BOUNDS,
  ) {}

  /** @param nowMs epoch ms */
  ended(flow: CountedFlow, layers: readonly EndedLayer[], nowMs: number): void {
    const hourMs = nowMs - (nowMs % LAYER_SPAN.ms);
    if (hourMs !== this.hourMs) {
      this.hourMs = hourMs;
      this.current = new Map();
    }
    let kept = this.current.get(flow.flowId);
    if (!kept) this.current.set(flow.flowId, (kept = this.keep(flow)));
    for (const layer of layers) {
      let tally = kept.layers.get(layer.ref);
      if (!tally) {
        if (!this.takesRoom(flow.company_id)) continue;
        kept.layers.set(layer.ref, (tally = new Counting(layer.ref)));
        this.kept.add(kept);
      }
      tally.end(layer);
      kept.changes += 1;
    }
  }

  /** Rows that are to be stored, at most `limit`. What is stored, and of an hour that is over, is let go of. */
  changed(limit: number, nowMs: number): LayerRow[] {
    const rows: LayerRow[] = [];
    for (const kept of this.kept) {
      const { row, layers, changes, written } = kept;
      const endMs = row.at.getTime() + LAYER_SPAN.ms;
      if (changes > written && endMs + LAYER_SPAN.keptMs > nowMs) {
        if (rows.length === limit) continue;
        rows.push({ ...row, layers: [...layers.values()].map((each) => each.copy()) });
        kept.given = changes;
      } else if (this.current.get(row.flowId) !== kept || endMs < nowMs) this.letGo(kept);
    }
    return rows;
  }

  /** These are stored, as the last `changed` gave them. */
  written(rows: readonly LayerRow[]): void {
    const counters = new Set(rows.map(({ counter }) => counter));
    for (const kept of this.kept) if (counters.has(kept.row.counter)) kept.written = kept.given;
  }

  private keep({ company_id, flowId }: CountedFlow): Kept {
    const id = [company_id, flowId, LAYER_SPAN.name, this.hourMs].join('.');
    const row = { company_id, flowId, id, counter: `${this.process}_${(this.made += 1)}`, at: new Date(this.hourMs) };
    return { row, layers: new Map(), changes: 0, given: 0, written: 0 };
  }

  private takesRoom(companyId: string): boolean {
    const of = this.ofCompany.get(companyId) ?? 0;
    if (this.inAll >= this.bounds.inAll || of >= this.bounds.ofCompany) return false;
    this.inAll += 1;
    this.ofCompany.set(companyId, of + 1);
    return true;
  }

  private letGo(kept: Kept): void {
    const { company_id, flowId } = kept.row;
    this.kept.delete(kept);
    if (this.current.get(flowId) === kept) this.current.delete(flowId);
    this.inAll -= kept.layers.size;
    const left = (this.ofCompany.get(company_id) ?? 0) - kept.layers.size;
    if (left > 0) this.ofCompany.set(company_id, left);
    else this.ofCompany.delete(company_id);
  }
}

/** By ref. */
export function layersOf(tallies: Iterable<LayerTally>): Map<string, LayerTally> {
  const sums = new Map<string, Counting>();
  for (const tally of tallies) {
    let sum = sums.get(tally.ref);
    if (!sum) sums.set(tally.ref, (sum = new Counting(tally.ref)));
    sum.add(tally);
  }
  return sums;
}
