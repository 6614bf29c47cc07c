import type { JournalRead, StoredJournal, UnreadJournal } from '@weft/store';

/** Journals of one read. With its log a journal has some 300 KB at worst. */
const PLAYS_PER_READ = 32;
const CONCURRENT_READS = 4;
/**
 * What becomes due during a read is gathered for this long: a read costs MongoDB and this process more than its
 * journals do.
 */
const GATHER_MS = 20;

/** How closely reads may follow each other. */
export interface ReadPace {
  /** From the start of one read to the start of the next, unless a full batch is due. */
  readonly spacingMs: number;
  readonly monotonicMs: () => number;
}

/** When much is due, plays share reads; when little is due, nothing waits. */
export const DEFAULT_PACE: ReadPace = { spacingMs: 10, monotonicMs: () => performance.now() };

/** A feed that needs journals. */
export interface JournalConsumer<Want extends JournalRead> {
  /** Approximate number of plays that are due. */
  readonly due: number;
  /** Takes at most this many due plays, which are then no longer due. An empty list: nothing can be read now. */
  take(limit: number): readonly Want[];
  /** @param stored undefined: the play was deleted */
  deliver(request: Want, stored: StoredJournal | undefined): void;
  /** These could not be read and are due again. The feed calls `wake` at its next poll. */
  requeue(consumer: readonly Want[]): void;
}

/**
 * Reads the journals that a feed needs, in batches: what becomes due within some milliseconds after a read started, or
 * during it, goes into the next one, which waits for a full batch or some milliseconds at most. A journal is never read
 * twice in parallel unless it became due again meanwhile.
 */
export class JournalReader<Want extends JournalRead> {
  private readsInFlight = 0;
  private startScheduled = false;
  private lastStartedAt = Number.NEGATIVE_INFINITY;

  /** @param onFault called when MongoDB could not be read */
  constructor(
    private readonly journals: {
      readJournals(reads: readonly Want[]): Promise<readonly (StoredJournal | UnreadJournal)[]>;
    },
    private readonly consumer: JournalConsumer<Want>,
    private readonly onFault: (error: unknown) => void,
    private readonly pace: ReadPace,
  ) {}

  /** Something may be due. */
  wake(): void {
    if (this.startScheduled) return;
    this.startScheduled = true;
    const restMs = this.readsInFlight === 0 ? this.lastStartedAt + this.pace.spacingMs - this.pace.monotonicMs() : 0;
    if (restMs > 0) setTimeout(() => this.startReads(), restMs);
    else setImmediate(() => this.startReads());
  }

  private startReads(): void {
    this.startScheduled = false;
    while (this.mayStart()) {
      const batch = this.consumer.take(PLAYS_PER_READ);
      if (batch.length === 0) return;
      void this.read(batch);
    }
  }

  private mayStart(): boolean {
    if (this.readsInFlight === 0) return true;
    if (this.readsInFlight === CONCURRENT_READS) return false;
    return this.consumer.due >= PLAYS_PER_READ || this.pace.monotonicMs() - this.lastStartedAt >= GATHER_MS;
  }

  private async read(batch: readonly Want[]): Promise<void> {
    this.readsInFlight += 1;
    this.lastStartedAt = this.pace.monotonicMs();
    let delivered = 0;
    try {
      const journals = await this.journals.readJournals(batch).finally(() => (this.readsInFlight -= 1));
      const stored = new Map(journals.map((play) => [play._id, play]));
      const unread: Want[] = [];
      for (const request of batch) {
        const found = stored.get(request.playId);
        delivered += 1;
        if (found && 'isUnread' in found) unread.push(request);
        else this.consumer.deliver(request, found);
      }
      if (unread.length > 0) this.consumer.requeue(unread);
      this.wake();
    } catch (error) {
      this.consumer.requeue(batch.slice(delivered));
      this.onFault(error);
    }
  }
}
