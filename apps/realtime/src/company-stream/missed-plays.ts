import {
  TenantScope,
  type JournalRead,
  type MovedPlay,
  type MovesMark,
  type MovesPage,
  type PlayMovesRepository,
  type StoredJournal,
} from '@weft/persistence';
import type { CompanyJournals } from './company-feeds.js';
import { framesOfPlay, type CompanyFrame } from './company-frame.js';
import { CURSOR_PLAYS_MAX, cursorEntry, cursorText, playTag, type Cursor } from './cursor.js';
import { EVENT_MARGIN_MS, STORE_MARGIN_MS } from './margins.js';
import { entryBefore } from './positions.js';
import type { Turns } from '../turns/turns.js';

const PLAYS_PER_PAGE = 500;
/** Of a reader who takes all; and of one who does not: what it cannot take is read again. */
const PLAYS_PER_READ = { quick: 16, slow: 2 };

export interface MissedSources {
  readonly journals: CompanyJournals;
  readonly moves: Pick<PlayMovesRepository, 'pageMovedSince'>;
  /** Readers of a gateway that died come back together: only some of them ask MongoDB at once. */
  readonly turns: Turns;
  /** Whether the reader takes the frames of the plays' own streams. */
  readonly takesEvents: boolean;
}

/**
 * What a reader missed since a cursor, read from MongoDB. Plays come one after the other, each in its order; who stops in
 * between goes on with the cursor of the last frame. Who stops to take the frames may ask for them again: of what was read only
 * the names of a page of plays are kept.
 */
export class MissedPlays {
  /** How far plays were told here, besides those that had ended before: they are not told again. */
  readonly told: Map<string, number>;
  private readonly entries = new Map<string, string>();
  private mark: MovesMark | null = null;
  private page: MovesPage | null = null;
  private perRead = PLAYS_PER_READ.quick;
  private complete = false;

  /**
   * @param startedAt MongoDB's clock: the feed tells what is stored from then on
   * @param before how far plays were told to the same reader when it caught up before
   */
  constructor(
    private readonly companyId: string,
    private readonly cursor: Cursor,
    private readonly sources: MissedSources,
    private readonly startedAt: number,
    before: ReadonlyMap<string, number> = new Map(),
  ) {
    this.told = new Map(before);
    for (const [tag, position] of cursor.positions) this.entries.set(tag, cursorEntry(tag, position));
  }

  /** From now on the reader is known to take its time. */
  readLess(): void {
    this.perRead = PLAYS_PER_READ.slow;
  }

  /** @throws what kept MongoDB from answering; call it again then: what was told is not told again */
  async *frames(): AsyncGenerator<CompanyFrame> {
    while (!this.complete) {
      this.page ??= await this.readPage();
      const { plays, next } = this.page;
      const missed = plays.filter((play) => play.seq > this.toldOf(play._id));
      for (let i = 0; i < missed.length; i += this.perRead) yield* this.framesOf(missed.slice(i, i + this.perRead));
      this.mark = next;
      this.page = null;
      this.complete = next === null;
      for (const { _id, completedAt } of plays) if (this.isSettled(completedAt)) this.told.delete(_id);
    }
  }

  private async readPage(): Promise<MovesPage> {
    const { moves, turns } = this.sources;
    const end = await turns.begin(this.companyId);
    try {
      const since = this.cursor.since - STORE_MARGIN_MS;
      return await moves.pageMovedSince(new TenantScope(this.companyId), since, this.mark, PLAYS_PER_PAGE);
    } finally {
      end();
    }
  }

  /** No feed tells of it any more. */
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

  /** The turn ends when all was taken, or will not be: what was read is in memory until then. @returns what is missing */
  private async *framesOfRead(asked: readonly JournalRead[]): AsyncGenerator<CompanyFrame, JournalRead[]> {
    const end = await this.sources.turns.begin(this.companyId);
    try {
      const layersFrom = new Map(asked.map((one) => [one.playId, one.layersFrom]));
      const due: JournalRead[] = [];
      for (const play of await this.sources.journals.readJournals(asked)) {
        const missing = yield* this.framesOfPlay(play, layersFrom.get(play._id) ?? 0);
        if (missing !== null) due.push({ playId: play._id, companyId: this.companyId, layersFrom: missing });
      }
      return due;
    } finally {
      end();
    }
  }

  /** @returns index of the first result that is missing */
  private *framesOfPlay(play: StoredJournal, layersFrom: number): Generator<CompanyFrame, number | null> {
    const tag = playTag(play._id);
    const known = this.told.get(play._id) ?? this.cursor.positions.get(tag);
    const from = known ?? entryBefore(play.log, this.cursor.since - EVENT_MARGIN_MS);
    const { frames, to, missing } = framesOfPlay(play, layersFrom, from, {
      ...{ tag, cursorAt: (entry) => this.cursorAt(tag, entry) },
      withEvents: this.sources.takesEvents,
    });
    for (const frame of frames) {
      yield frame;
      this.told.set(play._id, frame.entry);
    }
    this.told.set(play._id, to);
    this.cursorAt(tag, to);
    return missing;
  }

  private toldOf(playId: string): number {
    return this.told.get(playId) ?? this.cursor.positions.get(playTag(playId)) ?? 0;
  }

  /** The cursor of a reader who was told all so far, and of this play up to here. */
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
