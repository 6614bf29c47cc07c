import type { MovedPlay, StoredJournal } from '@weft/persistence';
import { framesOfPlay, type CompanyFrame } from './company-frame.js';
import { cursorEntry, cursorText } from './cursor.js';
import { FrameRing, type RingBounds } from './frame-ring.js';
import { Positions, tagOf } from './positions.js';

/** Who takes the frames of a feed. */
export interface FeedReader {
  /** Whether it takes the frames of the plays' own streams. */
  readonly takesEvents: boolean;
  /** Number of the frame of the ring that it wants next. */
  readonly place: number;
  /** There are further frames. */
  pump(): void;
}

/** The stream of one company on this gateway: its last frames, how far each play was told, and who reads it. */
export class CompanyFeed {
  private readonly readers = new Set<FeedReader>();
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
    private readonly serverNow: () => number,
    bounds?: RingBounds,
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
  }

  /** MongoDB's clock. */
  get now(): number {
    return this.serverNow();
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
    const now = this.serverNow();
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

  /** @returns whether the play has to be read again, for further results */
  deliver(play: StoredJournal, layersFrom: number): boolean {
    const now = this.serverNow();
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
    if (frames.length > 0) this.tell();
    return missing !== null;
  }

  /** The play is gone. */
  forget(playId: string): void {
    this.positions.drop(playId);
    this.look?.behind.delete(playId);
  }

  private tell(): void {
    let passed = this.ring.end;
    for (const reader of this.readers) {
      reader.pump();
      passed = Math.min(passed, reader.place);
    }
    this.ring.dropBefore(passed);
    this.ring.trim();
  }
}

function endOf({ completedAt }: Pick<MovedPlay, 'completedAt'>): number | null {
  return completedAt?.getTime() ?? null;
}

/** Index behind the last result that entries up to this one show. */
function resultsToldOf({ log }: StoredJournal, entry: number): number {
  let results = 0;
  for (const one of log) {
    if (one.seq > entry) break;
    if (one.type === 'accepted') results += one.taken ?? 0;
    if (one.type === 'complete') results += 1;
  }
  return results;
}
