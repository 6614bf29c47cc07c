/** What became of one item of a batch. */
export type BatchOutcome<Result> = { readonly ok: Result } | { readonly error: unknown };

interface Entry<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch of that many items says that there is load; below, nobody is made to wait. */
const LOAD = 6;

export interface GroupCommitOptions {
  /** Items of one flush at most. */
  readonly maxBatch: number;
  /** Weights of the items of one flush together, at most (a single item may be heavier). */
  readonly maxWeight?: number;
  /** Flushes in flight at most. 1 makes the largest batches: what arrives meanwhile goes together. */
  readonly inFlight?: number;
  /**
   * Under load (the last batch had `LOAD` items or more), milliseconds in which the next batch may grow before it is sent:
   * fewer round trips for the same items. 0 = never wait.
   */
  readonly lingerMs?: number;
  /** Told the size of each batch that was flushed, and how long that took. */
  readonly onBatch?: (size: number, seconds: number) => void;
  /**
   * A flush that rejects with such an error fails all of its items. After any other one nothing of it was stored, and it is
   * flushed again in halves, so that whose fault it is fails alone. Default: every error is such an error.
   */
  readonly failsAll?: (error: unknown) => boolean;
}

/**
 * Many callers, one round trip: what arrives while a flush is in flight goes with the next one. At low load nobody waits
 * for anybody. Each caller is answered only when the flush that held its item is.
 */
export class GroupCommit<Item, Result> {
  private readonly waiting: Entry<Item, Result>[] = [];
  private flying = 0;
  private scheduled = false;
  private lastBatch = 0;
  private readonly inFlight: number;

  /** @param flush one outcome an item, in order */
  constructor(
    private readonly flush: (items: readonly Item[]) => Promise<readonly BatchOutcome<Result>[]>,
    private readonly options: GroupCommitOptions,
  ) {
    this.inFlight = options.inFlight ?? 1;
  }

  /** @param weight what it adds to `maxWeight` */
  add(item: Item, weight = 0): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, weight, resolve, reject });
      this.schedule();
    });
  }

  /** Items that wait or fly. */
  get pending(): number {
    return this.waiting.length + this.flying;
  }

  private nextBatchSize(): number {
    const { maxBatch, maxWeight = Number.POSITIVE_INFINITY } = this.options;
    let weight = 0;
    let size = 0;
    for (const entry of this.waiting) {
      weight += entry.weight;
      if (size === maxBatch || (size > 0 && weight > maxWeight)) break;
      size += 1;
    }
    return size;
  }

  private schedule(): void {
    if (this.scheduled || this.flying >= this.inFlight || this.waiting.length === 0) return;
    this.scheduled = true;
    const go = () => {
      this.scheduled = false;
      void this.run();
    };
    const { lingerMs = 0, maxBatch } = this.options;
    if (lingerMs > 0 && this.lastBatch >= LOAD && this.waiting.length < maxBatch) setTimeout(go, lingerMs);
    // after this turn's I/O callbacks: requests that arrived together go together
    else setImmediate(go);
  }

  private async run(): Promise<void> {
    if (this.flying >= this.inFlight || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, this.nextBatchSize());
    this.flying += 1;
    this.lastBatch = batch.length;
    this.schedule();
    const startedMs = performance.now();
    try {
      const outcomes = await this.outcomesOf(batch.map((entry) => entry.item));
      this.options.onBatch?.(batch.length, (performance.now() - startedMs) / 1_000);
      batch.forEach((entry, i) => {
        const outcome = outcomes[i];
        if (outcome && 'ok' in outcome) entry.resolve(outcome.ok);
        else entry.reject(outcome?.error ?? new Error('the flush gave no outcome for this item'));
      });
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      this.flying -= 1;
      this.schedule();
    }
  }
  private async outcomesOf(items: readonly Item[]): Promise<readonly BatchOutcome<Result>[]> {
    try {
      return await this.flush(items);
    } catch (error) {
      if (this.options.failsAll?.(error) ?? true) throw error;
      if (items.length === 1) return [{ error }];
      const half = Math.ceil(items.length / 2);
      const first = await this.outcomesOf(items.slice(0, half));
      return [...first, ...(await this.outcomesOf(items.slice(half)))];
    }
  }
}
