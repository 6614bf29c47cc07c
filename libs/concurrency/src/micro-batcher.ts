export interface MicroBatcherOptions<Item> {
  /** May reject: that ends the batch, and the next one begins. */
  readonly flush: (batch: readonly Item[]) => Promise<void>;
  readonly onError: (error: unknown, batch: readonly Item[]) => void;
}

/**
 * Batches work that no caller waits for: items of one turn of the event loop form a batch, and items that arrive while a batch
 * is in progress form the next one. When a caller needs the result of its item, take `GroupCommit`.
 */
export class MicroBatcher<Item> {
  private pending: Item[] = [];
  private running: Promise<void> | null = null;

  constructor(private readonly options: MicroBatcherOptions<Item>) {}

  add(item: Item): void {
    this.pending.push(item);
    this.running ??= this.run();
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    while (this.pending.length > 0) {
      await new Promise(setImmediate);
      const batch = this.pending;
      this.pending = [];
      await this.options.flush(batch).catch((error: unknown) => this.options.onError(error, batch));
    }
    this.running = null;
  }
}
