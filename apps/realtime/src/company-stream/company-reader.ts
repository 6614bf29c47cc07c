import type { Principal } from '@weft/access';
import type { FrameSink } from '../play-stream/play-watcher.js';
import type { CompanyFeed, FeedReader } from './company-feed.js';
import type { CompanyFrame } from './company-frame.js';
import { LOOK_COST, MESSAGE_COST, PORTION_BYTES, type Allowance } from '../turns/rota.js';
import { readCursor, type Cursor } from './cursor.js';
import { MissedPlays, type MissedSources } from './missed-plays.js';
import type { ReadableFlows } from './readable-flows.js';

/** While MongoDB cannot be read, what was missed is asked for again after this long. */
const RETRY_MS = 1_000;

export interface CompanyReaderSources extends MissedSources {
  /** What the socket wants of what its caller may see; null is nothing. Shared among readers, not changed afterwards. */
  readonly textOf: (frame: CompanyFrame) => Buffer | null;
  /** Whether the caller, as known now, sees this play of a flow that may be read. */
  seesPlay(triggeredBy: string | null): boolean;
  caller(): Principal;
  /** Told of each frame that was sent. */
  onSent(): void;
  /** Rights or what was missed could not be read. */
  onFault(error: unknown): void;
}

/**
 * One socket of a company's stream. It takes what it wants and may see from the feed's ring while it can; when it fell
 * behind the ring, or comes back with a cursor, it first gets from MongoDB what it missed. Nothing is kept for it but a place.
 */
export class CompanyReader implements FeedReader {
  /** Number of the next frame of the ring. */
  private next: number;
  /** Of the last frame of the ring that was taken or passed over. */
  private cursor: string;
  private busy = false;
  private held = false;
  private ended = false;
  private had: ReadonlyMap<string, number> = new Map();
  private missed: MissedPlays | null = null;
  /** MongoDB's clock: what was stored up to then may be told by the feed although it was among the missed. */
  private missedUpTo = 0;
  /** Number of the first frame of the ring that is of what was stored later. */
  private missedUntil: number | null = null;
  private roomFor: (() => void) | null = null;

  constructor(
    private readonly feed: CompanyFeed,
    private readonly sink: FrameSink,
    private readonly flows: Pick<ReadableFlows, 'may'>,
    private readonly sources: CompanyReaderSources,
  ) {
    this.next = feed.ring.end;
    this.cursor = feed.cursor;
  }

  get companyId(): string {
    return this.feed.companyId;
  }

  get takesEvents(): boolean {
    return this.sources.takesEvents;
  }

  get place(): number {
    return this.next;
  }

  /** First what it missed since then. */
  begin(from: Cursor): void {
    this.had = from.positions;
    void this.catchUp(from);
  }

  /** Nobody can tell just now what the reader may see. */
  hold(): void {
    this.held = true;
  }

  /** Looked at again, or there is room again: goes on. */
  goOn(): void {
    this.held = false;
    this.resume();
  }

  /** Nothing more is to be sent, although the socket may stay. */
  end(): void {
    this.ended = true;
    this.resume();
  }

  /** There is room again, or the socket has closed. */
  resume(): void {
    const roomFor = this.roomFor;
    this.roomFor = null;
    if (roomFor) roomFor();
    else this.feed.wake(this);
  }

  sendSome(allowance: Allowance): boolean {
    const { ring } = this.feed;
    while (!this.busy && this.canTake && this.next < ring.end) {
      if (allowance.left <= 0) return true;
      if (this.next < ring.start) {
        const from = readCursor(this.cursor);
        if (from) void this.catchUp(from);
        break;
      }
      const frame = ring.at(this.next);
      if (!frame) break;
      const text = this.isNew(frame) ? this.sources.textOf(frame) : null;
      const may = text !== null && this.may(frame);
      if (may instanceof Promise) {
        this.wait(may);
        break;
      }
      allowance.left -= LOOK_COST;
      if (may && text) allowance.left -= this.send(text);
      this.next += 1;
      this.cursor = frame.cursor;
    }
    this.feed.rest(this);
    return false;
  }

  private get canTake(): boolean {
    return !this.held && !this.sink.isFull && !this.isOver;
  }

  private get isOver(): boolean {
    return this.ended || this.sink.isClosing;
  }

  private may(frame: CompanyFrame): boolean | Promise<unknown> {
    if (!this.sources.seesPlay(frame.triggeredBy)) return false;
    return this.flows.may(this.sources.caller(), frame.flowId);
  }

  /** Not among what the reader had before, or was told as missed. */
  private isNew(frame: CompanyFrame): boolean {
    if (this.missed && this.feed.toldUpTo > this.missedUpTo) {
      this.missedUntil ??= this.feed.ring.end;
      if (this.next >= this.missedUntil) this.missed = null;
    }
    const told = this.missed?.told.get(frame.playId) ?? this.had.get(frame.tag) ?? 0;
    return frame.entry > told;
  }

  /** @returns what it cost */
  private send(text: Buffer): number {
    this.sink.send(text);
    this.sources.onSent();
    return MESSAGE_COST + text.byteLength;
  }

  private wait(answer: Promise<unknown>): void {
    this.busy = true;
    answer.then(
      () => {
        this.busy = false;
        this.feed.wake(this);
      },
      (error: unknown) => {
        this.sources.onFault(error);
        setTimeout(() => {
          this.busy = false;
          this.feed.wake(this);
        }, RETRY_MS).unref();
      },
    );
  }

  private async catchUp(from: Cursor): Promise<void> {
    this.busy = true;
    this.next = this.feed.ring.end;
    this.cursor = this.feed.cursor;
    const missed = new MissedPlays(this.feed.companyId, from, this.sources, this.feed.now, this.missed?.told);
    while (!this.isOver) {
      try {
        if (await this.tellMissed(missed)) break;
        missed.readLess();
        await this.room();
      } catch (error) {
        this.sources.onFault(error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
    this.missed = missed;
    this.missedUpTo = this.feed.now;
    this.missedUntil = null;
    this.busy = false;
    this.feed.wake(this);
  }

  /** @returns false when there is no room: nothing that was read is kept until there is */
  private async tellMissed(missed: MissedPlays): Promise<boolean> {
    let left = 0;
    for await (const frame of missed.frames()) {
      if (left <= 0) {
        await this.feed.turn();
        left = PORTION_BYTES;
      }
      if (!this.canTake) return false;
      const text = this.sources.textOf(frame);
      let may = text !== null && this.may(frame);
      while (may instanceof Promise) {
        await may;
        if (!this.canTake) return false;
        may = this.may(frame);
      }
      left -= LOOK_COST;
      if (may && text) left -= this.send(text);
    }
    return true;
  }

  private async room(): Promise<void> {
    while (!this.canTake && !this.isOver) await new Promise<void>((resolve) => (this.roomFor = resolve));
  }
}
