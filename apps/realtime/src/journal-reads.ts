import type { JournalRead, StoredJournal } from '@weft/persistence';
import type { LiveFigures } from './live-figures.js';

/** Journals of one read: with their logs some 300 KB each at the worst. */
const PLAYS_PER_READ = 32;
const READS_AT_ONCE = 4;
/** What becomes due gathers while a read is under way, for so long: a read costs MongoDB and us more than its journals do. */
const GATHER_MS = 20;

/** How close reads may follow each other. */
export interface ReadPace {
  /** From the beginning of one read to that of the next, unless a full batch is due. */
  readonly spacingMs: number;
  readonly monotonicMs: () => number;
}

/** Where much is due plays share reads, where little is nobody waits. */
export const STEADY: ReadPace = { spacingMs: 10, monotonicMs: () => performance.now() };

/** A feed that wants journals. */
export interface JournalWants<Want extends JournalRead> {
  /** About how many are due. */
  readonly due: number;
  /** At most so many of those that are due; from then on they are not. None: nothing can be read now. */
  take(limit: number): readonly Want[];
  /** @param stored left out: the play is gone */
  deliver(want: Want, stored: StoredJournal | undefined): void;
  /** They could not be read and are due again. The feed wakes the reads when it looks next. */
  giveBack(wants: readonly Want[]): void;
}

/**
 * Reads the journals that a feed wants, in batches: what becomes due within some milliseconds after a read began, or while it is
 * under way, goes into the next one, which waits no longer than for a full batch or some ms. A journal is never wanted by two reads
 * at once unless it was due again meanwhile.
 */
export class JournalReads<Want extends JournalRead> {
  private underWay = 0;
  private woken = false;
  private beganAt = Number.NEGATIVE_INFINITY;

  /** @param onFault told when MongoDB could not be read */
  constructor(
    private readonly journals: { readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]> },
    private readonly wants: JournalWants<Want>,
    private readonly figures: Pick<LiveFigures, 'journalsRead'>,
    private readonly onFault: (error: unknown) => void,
    private readonly pace: ReadPace,
  ) {}

  /** Something may be due. */
  wake(): void {
    if (this.woken) return;
    this.woken = true;
    const restMs = this.underWay === 0 ? this.beganAt + this.pace.spacingMs - this.pace.monotonicMs() : 0;
    if (restMs > 0) setTimeout(() => this.begin(), restMs);
    else setImmediate(() => this.begin());
  }

  private begin(): void {
    this.woken = false;
    while (this.mayBegin()) {
      const batch = this.wants.take(PLAYS_PER_READ);
      if (batch.length === 0) return;
      void this.read(batch);
    }
  }

  private mayBegin(): boolean {
    if (this.underWay === 0) return true;
    if (this.underWay === READS_AT_ONCE) return false;
    return this.wants.due >= PLAYS_PER_READ || this.pace.monotonicMs() - this.beganAt >= GATHER_MS;
  }

  private async read(batch: readonly Want[]): Promise<void> {
    this.underWay += 1;
    this.beganAt = this.pace.monotonicMs();
    let delivered = 0;
    try {
      const found = await this.journals.readJournals(batch).finally(() => (this.underWay -= 1));
      const stored = new Map(found.map((play) => [play._id, play]));
      this.figures.journalsRead(batch.length);
      for (const want of batch) {
        delivered += 1;
        this.wants.deliver(want, stored.get(want.playId));
      }
      this.wake();
    } catch (error) {
      this.wants.giveBack(batch.slice(delivered));
      this.onFault(error);
    }
  }
}
