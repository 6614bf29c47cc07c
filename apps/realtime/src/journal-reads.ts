import type { JournalRead, StoredJournal } from '@weft/persistence';
import type { LiveFigures } from './live-figures.js';

/** Journals of one read: with their logs some 300 KB each at the worst. */
const PLAYS_PER_READ = 32;
const READS_AT_ONCE = 4;
/** From one read to the next: where much is due, plays share reads; where little is, nobody waits. */
const SPACING_MS = 10;

/** A feed that wants journals. */
export interface JournalWants<Want extends JournalRead> {
  /** At most so many of those that are due; from then on they are not. None: nothing can be read now. */
  take(limit: number): readonly Want[];
  /** @param stored left out: the play is gone */
  deliver(want: Want, stored: StoredJournal | undefined): void;
  /** They could not be read and are due again. The feed wakes the reads when it looks next. */
  giveBack(wants: readonly Want[]): void;
}

/**
 * Reads the journals that a feed wants, in batches: what becomes due within a few milliseconds after a read shares the next one,
 * and so does what becomes due while all reads are under way. A journal is never wanted by two reads at once unless it was due again meanwhile.
 */
export class JournalReads<Want extends JournalRead> {
  private underWay = 0;
  private woken = false;
  private readAt = Number.NEGATIVE_INFINITY;

  /** @param onFault told when MongoDB could not be read */
  constructor(
    private readonly journals: { readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]> },
    private readonly wants: JournalWants<Want>,
    private readonly figures: Pick<LiveFigures, 'journalsRead'>,
    private readonly onFault: (error: unknown) => void,
  ) {}

  /** Something may be due. */
  wake(): void {
    if (this.woken) return;
    this.woken = true;
    const restMs = this.readAt + SPACING_MS - performance.now();
    if (restMs > 0) setTimeout(() => this.readDue(), restMs);
    else setImmediate(() => this.readDue());
  }

  private readDue(): void {
    this.woken = false;
    while (this.underWay < READS_AT_ONCE) {
      const batch = this.wants.take(PLAYS_PER_READ);
      if (batch.length === 0) return;
      this.readAt = performance.now();
      void this.read(batch);
    }
  }

  private async read(batch: readonly Want[]): Promise<void> {
    this.underWay += 1;
    try {
      const stored = new Map((await this.journals.readJournals(batch)).map((play) => [play._id, play]));
      this.figures.journalsRead(batch.length);
      for (const want of batch) this.wants.deliver(want, stored.get(want.playId));
      this.wake();
    } catch (error) {
      this.wants.giveBack(batch);
      this.onFault(error);
    } finally {
      this.underWay -= 1;
    }
  }
}
