/** The result of one item of a batch. */
export type BatchOutcome<Result> = { readonly ok: Result } | { readonly error: unknown };

interface Entry<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  isRepeated?: true;
}

/** A batch of this many items shows that there is load; after a smaller one, no caller is made to wait. */
const LOAD = 6;

export interface GroupCommitOptions<Item = unknown> {
  /** The most items of one flush. */
  readonly maxBatch: number;
  /** The most that the items of one flush weigh together (a single item may be heavier). */
  readonly maxWeight?: number;
  /**
   * Under load (the last batch had `LOAD` items or more), milliseconds in which the next batch may grow before it is sent:
   * fewer round trips for the same items. 0 = never wait.
   */
  readonly lingerMs?: number;
  /** Called after each flush. */
  readonly onBatch?: (size: number, seconds: number) => void;
  /**
   * Whether a flush that rejects with this error fails all of its items. If not, nothing of the batch was stored, and it is
   * flushed again in halves, so that only the items that cause the error fail. Default: every error fails all.
   */
  readonly failsAll?: (error: unknown) => boolean;
  /**
   * Whether the items of a flush that rejects with this error are flushed once more: before all that came after them, so the order
   * stays. Default: they are not.
   */
  readonly repeats?: (error: unknown, items: readonly Item[]) => boolean;
}

/**
 * Many callers, one round trip: items that arrive during a flush form the next batch. At low load no caller waits for another.
 * Each caller gets the result of its own item, after the flush that contained it. For work that no caller waits for, take
 * `MicroBatcher`; for reads whose results are kept, take `ReadThroughCache`.
 */
export class GroupCommit<Item, Result> {
  private readonly waiting: Entry<Item, Result>[] = [];
  private isFlushing = false;
  private scheduled = false;
  private lastBatch = 0;

  /** @param flush returns one outcome for each item, in order */
  constructor(
    private readonly flush: (items: readonly Item[]) => Promise<readonly BatchOutcome<Result>[]>,
    private readonly options: GroupCommitOptions<Item>,
  ) {}

  /** @param weight counts towards `maxWeight` */
  add(item: Item, weight = 0): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, weight, resolve, reject });
      this.schedule();
    });
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
    if (this.scheduled || this.isFlushing || this.waiting.length === 0) return;
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
    if (this.isFlushing || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, this.nextBatchSize());
    this.isFlushing = true;
    this.lastBatch = batch.length;
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
      const again = this.putBack(batch, error);
      for (const entry of batch) if (!again.has(entry)) entry.reject(error);
    } finally {
      this.isFlushing = false;
      this.schedule();
    }
  }

  /** @returns those that are flushed once more */
  private putBack(batch: readonly Entry<Item, Result>[], error: unknown): ReadonlySet<Entry<Item, Result>> {
    const again = batch.filter(({ isRepeated }) => !isRepeated);
    const items = again.map(({ item }) => item);
    if (items.length === 0 || !this.options.repeats?.(error, items)) return new Set();
    for (const entry of again) entry.isRepeated = true;
    this.waiting.unshift(...again);
    return new Set(again);
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
