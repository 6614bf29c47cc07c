export interface GatheredOptions<Item> {
  /** May reject: the batch is over then, and the next one goes. */
  readonly flush: (batch: readonly Item[]) => Promise<void>;
  readonly onError: (error: unknown, batch: readonly Item[]) => void;
}

/**
 * Does for many at once what nobody waits for: all that comes in one turn of the event loop goes together, and what comes
 * while a batch is under way makes the next one.
 */
export class Gathered<Item> {
  private pending: Item[] = [];
  private running: Promise<void> | null = null;

  constructor(private readonly options: GatheredOptions<Item>) {}

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
