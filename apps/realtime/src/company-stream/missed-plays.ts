import type { FairSemaphore } from '@weft/concurrency';
import {
  TenantScope,
  type JournalRead,
  type MovedPlay,
  type MovesMark,
  type MovesPage,
  type PlayMovesRepository,
  type StoredJournal,
} from '@weft/store';
import type { CompanyJournals } from './known-journals.js';
import { hasMoved } from './company-feed.js';
import { framesOfPlay, type CompanyFrame } from './company-frame.js';
import { CURSOR_PLAYS_MAX, cursorEntry, cursorText, playTag, type Cursor } from './cursor.js';
import { EVENT_MARGIN_MS, STORE_MARGIN_MS } from './margins.js';
import { entryBefore } from './play-positions.js';

const PLAYS_PER_PAGE = 500;
/**
 * Plays of one read for a reader that takes everything, and for a slow one, for which frames that it cannot take are
 * read again.
 */
const PLAYS_PER_READ = { quick: 16, slow: 2 };

export interface MissedPlaysDependencies {
  readonly journals: Pick<CompanyJournals, 'readJournals'>;
  readonly moves: Pick<PlayMovesRepository, 'pageMovedSince'>;
  /** Readers of a gateway that died reconnect at the same time: only some of them query MongoDB at once. */
  readonly semaphore: FairSemaphore;
  /** Whether the reader takes the frames of the plays' own streams. */
  readonly takesEvents: boolean;
  /** Whether it wants to know of plays that were only accepted. */
  takesAcceptances(): boolean;
}

/**
 * Reads from MongoDB what a reader missed since a cursor. Plays come one after the other, each in its order; a reader
 * that disconnects in between resumes with the cursor of the last frame. A reader that runs out of room calls `frames`
 * again: of what was read only the ids of one page of plays are kept.
 */
export class MissedPlays {
  /** Last entry that was sent here, by play, except for plays that had ended before: no feed delivers those again. */
  readonly sentUpTo: Map<string, number>;
  private readonly entries = new Map<string, string>();
  private mark: MovesMark | null = null;
  private page: MovesPage | null = null;
  private perRead = PLAYS_PER_READ.quick;
  private complete = false;

  /**
   * @param startedAt MongoDB's clock: the feed delivers what is stored from then on
   * @param before what was sent to the same reader when it caught up before
   */
  constructor(
    private readonly companyId: string,
    private readonly cursor: Cursor,
    private readonly dependencies: MissedPlaysDependencies,
    private readonly startedAt: number,
    before: ReadonlyMap<string, number> = new Map(),
  ) {
    this.sentUpTo = new Map(before);
    for (const [tag, position] of cursor.positions) this.entries.set(tag, cursorEntry(tag, position));
  }

  /** The reader is slow from now on: less is read at once. */
  useSmallReads(): void {
    this.perRead = PLAYS_PER_READ.slow;
  }

  /** @throws the error of MongoDB; a further call continues after the last frame that was taken */
  async *frames(): AsyncGenerator<CompanyFrame> {
    while (!this.complete) {
      this.page ??= await this.readPage();
      const { plays, next } = this.page;
      const all = this.dependencies.takesAcceptances();
      const missed = plays.filter((play) => play.seq > this.sentUpToOf(play._id) && (all || hasMoved(play)));
      for (let i = 0; i < missed.length; i += this.perRead) yield* this.framesOf(missed.slice(i, i + this.perRead));
      this.mark = next;
      this.page = null;
      this.complete = next === null;
      for (const { _id, completedAt } of plays) if (this.isSettled(completedAt)) this.sentUpTo.delete(_id);
    }
  }

  private async readPage(): Promise<MovesPage> {
    const { moves, semaphore } = this.dependencies;
    const release = await semaphore.acquire(this.companyId);
    try {
      const since = this.cursor.since - STORE_MARGIN_MS;
      return await moves.pageMovedSince(new TenantScope(this.companyId), since, this.mark, PLAYS_PER_PAGE);
    } finally {
      release();
    }
  }

  /** No feed delivers this play any more. */
  private isSettled(completedAt: Date | undefined): boolean {
    return completedAt !== undefined && completedAt.getTime() < this.startedAt - STORE_MARGIN_MS;
  }

  private async *framesOf(plays: readonly MovedPlay[]): AsyncGenerator<CompanyFrame> {
    let due: readonly JournalRead[] = plays.map(({ _id }) => ({
      playId: _id,
      companyId: this.companyId,
      layersFrom: 0,
    }));
    while (due.length > 0) due = yield* this.framesOfRead(due);
  }

  /**
   * Holds the semaphore until all frames are taken or the reader stops, since the read journals are in memory until
   * then. @returns what has to be read further
   */
  private async *framesOfRead(reads: readonly JournalRead[]): AsyncGenerator<CompanyFrame, JournalRead[]> {
    const release = await this.dependencies.semaphore.acquire(this.companyId);
    try {
      const layersFrom = new Map(reads.map((one) => [one.playId, one.layersFrom]));
      const due: JournalRead[] = [];
      for (const play of await this.dependencies.journals.readJournals(reads)) {
        const from = layersFrom.get(play._id) ?? 0;
        const missing = 'isUnread' in play ? from : yield* this.framesOfPlay(play, from);
        if (missing !== null) due.push({ playId: play._id, companyId: this.companyId, layersFrom: missing });
      }
      return due;
    } finally {
      release();
    }
  }

  /** @returns index of the first result that is missing */
  private *framesOfPlay(play: StoredJournal, layersFrom: number): Generator<CompanyFrame, number | null> {
    const tag = playTag(play._id);
    const known = this.sentUpTo.get(play._id) ?? this.cursor.positions.get(tag);
    const from = known ?? entryBefore(play.log, this.cursor.since - EVENT_MARGIN_MS);
    const { frames, to, missingFrom } = framesOfPlay(play, layersFrom, from, {
      tag,
      cursorAt: (entry) => this.cursorAt(tag, entry),
      withEvents: this.dependencies.takesEvents,
    });
    for (const frame of frames) {
      yield frame;
      this.sentUpTo.set(play._id, frame.entry);
    }
    this.sentUpTo.set(play._id, to);
    this.cursorAt(tag, to);
    return missingFrom;
  }

  private sentUpToOf(playId: string): number {
    return this.sentUpTo.get(playId) ?? this.cursor.positions.get(playTag(playId)) ?? 0;
  }

  /** The cursor of a reader that has everything up to this entry of this play. */
  private cursorAt(tag: string, position: number): string {
    this.entries.delete(tag);
    this.entries.set(tag, cursorEntry(tag, position));
    if (this.entries.size > CURSOR_PLAYS_MAX) {
      const [oldest] = this.entries.keys();
      if (oldest !== undefined) this.entries.delete(oldest);
    }
    return cursorText(this.cursor.since, [...this.entries.values()].join(''));
  }
}
