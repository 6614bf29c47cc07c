import type { MovedPlay } from '@weft/persistence';
import type { NoticeJournal } from '@weft/realtime-bus';
import { framesOfPlay, type CompanyFrame, type ToldPlay } from './company-frame.js';
import { cursorEntry, cursorText } from './cursor.js';
import { FrameRing, RING, type RingBounds } from './frame-ring.js';
import { Positions, tagOf } from './positions.js';
import type { Rota, Sending } from '../turns/rota.js';

/** Who takes the frames of a feed, and says by `rest` when it has stopped. */
export interface FeedReader extends Sending {
  /** Whether it takes the frames of the plays' own streams. */
  readonly takesEvents: boolean;
  /** Number of the frame of the ring that it wants next. */
  readonly place: number;
}

/** What all feeds of a process share. */
export interface FeedParts {
  readonly rota: Rota;
  /** MongoDB's clock. */
  readonly serverNow: () => number;
}

/** Plays of one read at the most: those of a company that is known to have little to say. */
const PLAYS_AT_ONCE = 32;
/** Of a company that nothing was read of yet: as if a play had so much to say. */
const PLAY_BYTES_AT_FIRST = 256 * 1024;

/**
 * The stream of one company on this gateway: its last frames, how far each play was told, and who reads it. While its readers
 * are being told, nothing more is read for it: the ring has what was told last and what was read in one go, and not what a
 * company has to say.
 */
export class CompanyFeed {
  private readonly readers = new Set<FeedReader>();
  /** Those who can take what was read last, and have not had it. */
  private readonly telling = new Set<FeedReader>();
  private playBytes = PLAY_BYTES_AT_FIRST;
  private eventReaders = 0;
  readonly ring: FrameRing<CompanyFrame>;
  private readonly positions: Positions;
  private watermark: number;
  /** What the look found that was begun at `at`; once all of it is told, so is everything that was stored before. */
  private look: { readonly at: number; readonly behind: Map<string, number> } | null = null;

  /** @param openedAt MongoDB's clock, before anything of the company was read */
  constructor(
    readonly companyId: string,
    openedAt: number,
    private readonly parts: FeedParts,
    /** All readers were told what they can take. */
    private readonly onTold: () => void,
    private readonly bounds: RingBounds = RING,
  ) {
    this.ring = new FrameRing(bounds);
    this.watermark = openedAt;
    this.positions = new Positions(openedAt);
  }

  add(reader: FeedReader): void {
    this.readers.add(reader);
    if (reader.takesEvents) this.eventReaders += 1;
  }

  delete(reader: FeedReader): void {
    if (this.readers.delete(reader) && reader.takesEvents) this.eventReaders -= 1;
    this.rest(reader);
  }

  /** The reader may be able to take something. */
  wake(reader: FeedReader): void {
    this.parts.rota.want([reader]);
  }

  /** The reader has all there is, or can take nothing more now. */
  rest(reader: FeedReader): void {
    if (this.telling.delete(reader) && this.telling.size === 0) this.settle();
  }

  /** It is the company's turn to send so many bytes of what is not in the ring: `PORTION_BYTES`. */
  turn(): Promise<void> {
    return this.parts.rota.turn(this.companyId);
  }

  /** How many plays may be read of it now, besides those that are being read. */
  get readsAtOnce(): number {
    if (this.telling.size > 0) return 0;
    return Math.max(1, Math.min(PLAYS_AT_ONCE, Math.floor(this.bounds.bytes / this.playBytes)));
  }

  /** MongoDB's clock. */
  get now(): number {
    return this.parts.serverNow();
  }

  /** Up to here everything was told. */
  get toldUpTo(): number {
    return this.watermark;
  }

  /** For a reader who begins with the next frame. */
  get cursor(): string {
    return cursorText(this.watermark, this.positions.cursorEntries(this.watermark, null));
  }

  /** What moved before the feed was opened, and is not to be told. */
  begin(moved: readonly MovedPlay[]): void {
    const now = this.parts.serverNow();
    for (const play of moved) this.positions.learn(play._id, play.seq, endOf(play), now);
  }

  isBehind(playId: string, seq: number): boolean {
    return (this.positions.get(playId)?.entry ?? 0) < seq;
  }

  layersFrom(playId: string): number {
    return this.positions.get(playId)?.layersFrom ?? 0;
  }

  /**
   * A look at what moved has come back.
   *
   * @param at MongoDB's clock, before the look was sent
   * @returns the plays that have to be read
   */
  looked(at: number, moved: readonly MovedPlay[]): readonly string[] {
    const before = [...(this.look?.behind ?? [])].filter(([id, seq]) => this.isBehind(id, seq));
    if (this.look && before.length === 0) this.watermark = this.look.at;
    const behind = new Map(before);
    for (const { _id, seq } of moved) if (this.isBehind(_id, seq)) behind.set(_id, seq);
    this.look = { at, behind };
    this.positions.sweep(at);
    return [...behind.keys()];
  }

  /** Not where somebody takes the plays' own frames: that of the end shows a time that only MongoDB knows. */
  get takesNotices(): boolean {
    return this.eventReaders === 0;
  }

  /**
   * @param journal as it was when its play had `seq` entries
   * @returns whether the play has to be read, for further results
   */
  noticed(playId: string, seq: number, journal: NoticeJournal): boolean {
    const hasEnded = journal.log.at(-1)?.type === 'end';
    // MongoDB's time is not later than this
    const completedAt = hasEnded ? new Date(this.parts.serverNow()) : undefined;
    return this.deliver({ ...journal, _id: playId, seq, ...(completedAt && { completedAt }) }, 0);
  }

  /** @returns whether the play has to be read again, for further results */
  deliver(play: ToldPlay, layersFrom: number): boolean {
    const now = this.parts.serverNow();
    const position = this.positions.of(play, now);
    if (position.entry >= play.seq) return false;
    const base = cursorText(this.watermark, this.positions.cursorEntries(this.watermark, position));
    const tag = tagOf(position);
    const { frames, to, missing } = framesOfPlay(play, layersFrom, position.entry, {
      ...{ tag, cursorAt: (entry) => base + cursorEntry(tag, entry) },
      withEvents: this.eventReaders > 0,
    });
    for (const frame of frames) this.ring.push(frame);
    this.positions.touch(position, to, missing === null ? endOf(play) : null, now);
    position.layersFrom = missing ?? resultsToldOf(play, to);
    this.learnBytes(frames);
    if (frames.length > 0) this.tell();
    return missing !== null;
  }

  /** The play is gone. */
  forget(playId: string): void {
    this.positions.drop(playId);
    this.look?.behind.delete(playId);
  }

  private tell(): void {
    for (const reader of this.readers) this.telling.add(reader);
    if (this.telling.size === 0) this.settle();
    else this.parts.rota.want(this.readers);
  }

  /** Readers had their chance. */
  private settle(): void {
    let passed = this.ring.end;
    for (const { place } of this.readers) passed = Math.min(passed, place);
    this.ring.dropBefore(passed);
    this.ring.trim();
    this.onTold();
  }

  private learnBytes(frames: readonly CompanyFrame[]): void {
    const bytes = frames.reduce((sum, frame) => sum + frame.bytes, 0);
    this.playBytes += (bytes - this.playBytes) / 4;
  }
}

function endOf({ completedAt }: Pick<MovedPlay, 'completedAt'>): number | null {
  return completedAt?.getTime() ?? null;
}

/** Index behind the last result that entries up to this one show. */
function resultsToldOf({ log }: ToldPlay, entry: number): number {
  let results = 0;
  for (const one of log) {
    if (one.seq > entry) break;
    if (one.type === 'accepted') results += one.taken ?? 0;
    if (one.type === 'complete') results += 1;
  }
  return results;
}
