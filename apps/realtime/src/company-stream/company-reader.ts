import { QUANTUM_BYTES, type Deficit } from '@weft/concurrency';
import type { Principal } from '@weft/access';
import type { FrameSink } from '../play-stream/play-watcher.js';
import type { CompanyFeed, CompanyFeedReader } from './company-feed.js';
import type { CompanyFrame } from './company-frame.js';
import { readCursor, type Cursor } from './cursor.js';
import { MissedPlays, type MissedPlaysDependencies } from './missed-plays.js';
import type { ReadableFlows } from './readable-flows.js';
import { FILTER_COST_BYTES, MESSAGE_COST_BYTES } from '../send-costs.js';

/** Delay before missed plays or rights are read again while MongoDB is unreachable. */
const RETRY_MS = 1_000;

export interface CompanyReaderDependencies extends MissedPlaysDependencies {
  /**
   * The text that the socket wants of a frame that its caller may see; null: none. Readers share the buffer; it is not
   * changed afterwards.
   */
  readonly textOf: (frame: CompanyFrame) => Buffer | null;
  /** Whether the caller, as known now, sees this play of a flow that the caller may read. */
  seesPlay(triggeredBy: string | null): boolean;
  caller(): Principal;
  /** Called after each frame that was sent. */
  onSent(): void;
  /** Called when rights or missed plays could not be read. */
  onFault(error: unknown): void;
}

/**
 * One socket of a company's stream. It takes the frames that it wants and may see from the feed's ring. When it is
 * further back than the ring's start, or resumes with a cursor, it first reads from MongoDB what it missed. Nothing is
 * queued for it: it only remembers its position.
 */
export class CompanyReader implements CompanyFeedReader {
  /** Number of the next frame of the ring. */
  nextFrame: number;
  /** Of the last frame of the ring that was sent or skipped. */
  private cursor: string;
  private busy = false;
  private suspended = false;
  private ended = false;
  private alreadySeen: ReadonlyMap<string, number> = new Map();
  private missed: MissedPlays | null = null;
  /** MongoDB's clock: what was stored until then was read with the missed plays, and the feed may deliver it again. */
  private missedUpTo = 0;
  /** Number of the first frame of the ring that was stored later than that. */
  private missedUntil: number | null = null;
  private resolveRoom: (() => void) | null = null;

  constructor(
    private readonly feed: CompanyFeed,
    private readonly sink: FrameSink,
    private readonly flows: Pick<ReadableFlows, 'mayRead'>,
    private readonly dependencies: CompanyReaderDependencies,
  ) {
    this.nextFrame = feed.ring.end;
    this.cursor = feed.cursor;
  }

  get companyId(): string {
    return this.feed.companyId;
  }

  get takesEvents(): boolean {
    return this.dependencies.takesEvents;
  }

  get takesAcceptances(): boolean {
    return this.dependencies.takesAcceptances();
  }

  /** Sends what the reader missed since this cursor first. */
  startFrom(from: Cursor): void {
    this.alreadySeen = from.positions;
    void this.catchUp(from);
  }

  /** It is unknown at the moment what the reader may see: nothing is sent. */
  suspend(): void {
    this.suspended = true;
  }

  /** The caller was rechecked: sending continues. */
  unsuspend(): void {
    this.suspended = false;
    this.resume();
  }

  /** Nothing more is sent, although the socket may stay open. */
  end(): void {
    this.ended = true;
    this.resume();
  }

  /** The socket has room again, or has closed. */
  resume(): void {
    const { resolveRoom } = this;
    this.resolveRoom = null;
    if (resolveRoom) resolveRoom();
    else this.feed.wake(this);
  }

  sendSome(deficit: Deficit): boolean {
    const { ring } = this.feed;
    while (!this.busy && this.canTake && this.nextFrame < ring.end) {
      if (deficit.bytesLeft <= 0) return true;
      if (this.nextFrame < ring.start) {
        const from = readCursor(this.cursor);
        if (from) void this.catchUp(from);
        break;
      }
      const frame = ring.at(this.nextFrame);
      if (!frame) break;
      const text = this.isNew(frame) ? this.dependencies.textOf(frame) : null;
      const mayRead = text !== null && this.mayRead(frame);
      if (mayRead instanceof Promise) {
        this.waitForRights(mayRead);
        break;
      }
      deficit.bytesLeft -= FILTER_COST_BYTES;
      if (mayRead && text) deficit.bytesLeft -= this.send(text);
      this.nextFrame += 1;
      this.cursor = frame.cursor;
    }
    this.feed.readerDone(this);
    return false;
  }

  private get canTake(): boolean {
    return !this.suspended && !this.sink.isFull && !this.isOver;
  }

  private get isOver(): boolean {
    return this.ended || this.sink.isClosing;
  }

  private mayRead(frame: CompanyFrame): boolean | Promise<unknown> {
    if (!this.dependencies.seesPlay(frame.triggeredBy)) return false;
    return this.flows.mayRead(this.dependencies.caller(), frame.flowId);
  }

  /** Whether the reader had this frame neither before it connected nor among the missed plays. */
  private isNew(frame: CompanyFrame): boolean {
    if (this.missed && this.feed.deliveredUpTo > this.missedUpTo) {
      this.missedUntil ??= this.feed.ring.end;
      if (this.nextFrame >= this.missedUntil) this.missed = null;
    }
    const sentUpTo = this.missed?.sentUpTo.get(frame.playId) ?? this.alreadySeen.get(frame.tag) ?? 0;
    return frame.entry > sentUpTo;
  }

  /** @returns its cost in bytes */
  private send(text: Buffer): number {
    this.sink.send(text);
    this.dependencies.onSent();
    return MESSAGE_COST_BYTES + text.byteLength;
  }

  private waitForRights(answer: Promise<unknown>): void {
    this.busy = true;
    answer.then(
      () => {
        this.busy = false;
        this.feed.wake(this);
      },
      (error: unknown) => {
        this.dependencies.onFault(error);
        setTimeout(() => {
          this.busy = false;
          this.feed.wake(this);
        }, RETRY_MS).unref();
      },
    );
  }

  private async catchUp(from: Cursor): Promise<void> {
    this.busy = true;
    this.nextFrame = this.feed.ring.end;
    this.cursor = this.feed.cursor;
    const missed = new MissedPlays(this.feed.companyId, from, this.dependencies, this.feed.now, this.missed?.sentUpTo);
    while (!this.isOver) {
      try {
        if (await this.sendMissed(missed)) break;
        missed.useSmallReads();
        await this.waitForRoom();
      } catch (error) {
        this.dependencies.onFault(error);
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
  private async sendMissed(missed: MissedPlays): Promise<boolean> {
    let left = 0;
    for await (const frame of missed.frames()) {
      if (left <= 0) {
        await this.feed.waitForTurn();
        left = QUANTUM_BYTES;
      }
      if (!this.canTake) return false;
      const text = this.dependencies.textOf(frame);
      let mayRead = text !== null && this.mayRead(frame);
      while (mayRead instanceof Promise) {
        await mayRead;
        if (!this.canTake) return false;
        mayRead = this.mayRead(frame);
      }
      left -= FILTER_COST_BYTES;
      if (mayRead && text) left -= this.send(text);
    }
    return true;
  }

  private async waitForRoom(): Promise<void> {
    while (!this.canTake && !this.isOver) await new Promise<void>((resolve) => (this.resolveRoom = resolve));
  }
}
