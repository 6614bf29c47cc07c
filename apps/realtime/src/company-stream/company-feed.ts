import type { DeficitRoundRobin, Sender } from '@weft/concurrency';
import type { MovedPlay } from '@weft/store';
import { framesOfPlay, type CompanyFrame, type FrameSource } from './company-frame.js';
import { cursorEntry, cursorText } from './cursor.js';
import { FrameRing, DEFAULT_RING_BOUNDS, type RingBounds } from './frame-ring.js';
import { PlayPositions, tagOf } from './play-positions.js';

/** A reader of a feed's frames. It calls `readerDone` when it has stopped. */
export interface CompanyFeedReader extends Sender {
  /** Whether it takes the frames of the plays' own streams. */
  readonly takesEvents: boolean;
  /** Whether it wants to know of plays that were only accepted. */
  readonly takesAcceptances: boolean;
  /** Number of the next frame of the ring that it takes. */
  readonly nextFrame: number;
}

/** What all feeds of a process share. */
export interface CompanyFeedDependencies {
  readonly scheduler: DeficitRoundRobin;
  /** MongoDB's clock. */
  readonly serverNow: () => number;
}

/** Upper bound on the plays of one read, reached by companies whose plays have little to send. */
const MAX_PLAYS_PER_READ = 32;
/** Assumed for a company before the first read: this many bytes to send for each play. */
const INITIAL_PLAY_BYTES = 256 * 1024;

/**
 * The stream of one company on this gateway: its last frames, how far each play was delivered, and its readers. While a
 * delivery is in progress, nothing more is read for the company: the ring holds the last delivery and one read at most,
 * however much the company has to send.
 */
export class CompanyFeed {
  private readonly readers = new Set<CompanyFeedReader>();
  /** Readers that have not yet taken what was read last. */
  private readonly pendingReaders = new Set<CompanyFeedReader>();
  private averagePlayBytes = INITIAL_PLAY_BYTES;
  private eventReaderCount = 0;
  readonly ring: FrameRing<CompanyFrame>;
  private readonly positions: PlayPositions;
  private watermark: number;
  /**
   * The plays that the poll started at `at` found unread; once all are delivered, so is everything that was stored
   * before `at`.
   */
  private lastPoll: { readonly at: number; readonly unread: Map<string, number> } | null = null;

  /** @param openedAt MongoDB's clock, before anything of the company was read */
  constructor(
    readonly companyId: string,
    openedAt: number,
    private readonly dependencies: CompanyFeedDependencies,
    /** Called when every reader has been offered what was read last. */
    private readonly onDelivered: () => void,
    private readonly bounds: RingBounds = DEFAULT_RING_BOUNDS,
  ) {
    this.ring = new FrameRing(bounds);
    this.watermark = openedAt;
    this.positions = new PlayPositions(openedAt);
  }

  add(reader: CompanyFeedReader): void {
    this.readers.add(reader);
    if (reader.takesEvents) this.eventReaderCount += 1;
  }

  delete(reader: CompanyFeedReader): void {
    if (this.readers.delete(reader) && reader.takesEvents) this.eventReaderCount -= 1;
    this.readerDone(reader);
  }

  /** The reader may be able to take something. */
  wake(reader: CompanyFeedReader): void {
    this.dependencies.scheduler.enqueue([reader]);
  }

  /** The reader has taken everything, or can take no more now. */
  readerDone(reader: CompanyFeedReader): void {
    if (this.pendingReaders.delete(reader) && this.pendingReaders.size === 0) this.onAllReadersDone();
  }

  /** Resolves when the company may send `QUANTUM_BYTES` of frames that are not in the ring. */
  waitForTurn(): Promise<void> {
    return this.dependencies.scheduler.waitForTurn(this.companyId);
  }

  /** How many plays may be read in parallel now; 0 while a delivery is in progress. */
  get playsPerRead(): number {
    if (this.pendingReaders.size > 0) return 0;
    return Math.max(1, Math.min(MAX_PLAYS_PER_READ, Math.floor(this.bounds.bytes / this.averagePlayBytes)));
  }

  /** MongoDB's clock. */
  get now(): number {
    return this.dependencies.serverNow();
  }

  /** Everything that was stored before this time is delivered. */
  get deliveredUpTo(): number {
    return this.watermark;
  }

  /** The cursor of a reader that starts with the next frame. */
  get cursor(): string {
    return cursorText(this.watermark, this.positions.cursorEntries(this.watermark, null));
  }

  /** These plays moved before the feed was opened; what they had then is not delivered. */
  startAfter(moved: readonly MovedPlay[]): void {
    const now = this.dependencies.serverNow();
    for (const play of moved) this.positions.record(play._id, play.seq, endedAtOf(play), now);
  }

  lacks(playId: string, seq: number): boolean {
    return (this.positions.get(playId)?.entry ?? 0) < seq;
  }

  layersFrom(playId: string): number {
    return this.positions.get(playId)?.layersFrom ?? 0;
  }

  /**
   * Takes the result of a poll.
   *
   * @param at MongoDB's clock, before the poll was sent
   * @returns the plays that have to be read
   */
  onPolled(at: number, moved: readonly MovedPlay[]): readonly string[] {
    const before = [...(this.lastPoll?.unread ?? [])].filter(([id, seq]) => this.lacks(id, seq));
    if (this.lastPoll && before.length === 0) this.watermark = this.lastPoll.at;
    const unread = new Map(before);
    for (const { _id, seq } of this.wanted(moved)) if (this.lacks(_id, seq)) unread.set(_id, seq);
    this.lastPoll = { at, unread };
    this.positions.sweep(at);
    return [...unread.keys()];
  }

  /** @returns whether the play has to be read again, for further results or for the time of its end */
  deliverJournal(play: FrameSource, layersFrom: number): boolean {
    const now = this.dependencies.serverNow();
    const position = this.positions.positionOf(play, now);
    if (position.entry >= play.seq) return false;
    const base = cursorText(this.watermark, this.positions.cursorEntries(this.watermark, position));
    const tag = tagOf(position);
    const { frames, to, missingFrom, missesEnd } = framesOfPlay(play, layersFrom, position.entry, {
      tag,
      cursorAt: (entry) => base + cursorEntry(tag, entry),
      withEvents: this.eventReaderCount > 0,
    });
    for (const frame of frames) this.ring.push(frame);
    this.positions.touch(position, to, missingFrom === null && !missesEnd ? endedAtOf(play) : null, now);
    position.layersFrom = missingFrom ?? resultsShownUpTo(play, to);
    this.updateAveragePlayBytes(frames);
    if (frames.length > 0) this.offerToReaders();
    return missingFrom !== null || missesEnd;
  }

  /** The play was deleted. */
  forget(playId: string): void {
    this.positions.forget(playId);
    this.lastPoll?.unread.delete(playId);
  }

  private wanted(moved: readonly MovedPlay[]): readonly MovedPlay[] {
    const all = [...this.readers].some((reader) => reader.takesAcceptances);
    return all ? moved : moved.filter(hasMoved);
  }

  private offerToReaders(): void {
    for (const reader of this.readers) this.pendingReaders.add(reader);
    if (this.pendingReaders.size === 0) this.onAllReadersDone();
    else this.dependencies.scheduler.enqueue(this.readers);
  }

  /** Every reader has been offered what was read last. */
  private onAllReadersDone(): void {
    let passed = this.ring.end;
    for (const { nextFrame } of this.readers) passed = Math.min(passed, nextFrame);
    this.ring.dropBefore(passed);
    this.ring.trim();
    this.onDelivered();
  }

  private updateAveragePlayBytes(frames: readonly CompanyFrame[]): void {
    const bytes = frames.reduce((sum, frame) => sum + frame.bytes, 0);
    this.averagePlayBytes += (bytes - this.averagePlayBytes) / 4;
  }
}

/** A play with one event was only accepted. */
export function hasMoved({ seq }: Pick<MovedPlay, 'seq'>): boolean {
  return seq > 1;
}

function endedAtOf({ completedAt }: Pick<MovedPlay, 'completedAt'>): number | null {
  return completedAt?.getTime() ?? null;
}

/** Index after the last result that entries up to this one show. */
function resultsShownUpTo({ log }: FrameSource, entry: number): number {
  let results = 0;
  for (const one of log) {
    if (one.seq > entry) break;
    if (one.type === 'accepted') results += one.taken ?? 0;
    if (one.type === 'complete') results += 1;
  }
  return results;
}
