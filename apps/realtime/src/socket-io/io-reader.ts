import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import type { WatchedPlay } from '@weft/persistence';
import type { CompanyFeed } from '../company-stream/company-feed.js';
import type { CompanyFrame } from '../company-stream/company-frame.js';
import { CompanyReader } from '../company-stream/company-reader.js';
import { ReadableFlows } from '../company-stream/readable-flows.js';
import { SUBSCRIPTIONS_MAX } from '../company-stream/subscriptions.js';
import type { LiveParts } from '../live-parts.js';
import { PlayWatcher, type FrameSink } from '../play-stream/play-watcher.js';
import { LiveReader } from '../rights/live-reader.js';
import type { IoSocket } from './io-socket.js';
import type { Wish } from './wish.js';

/** Plays of which it is remembered how far they were told under a subscription of their own. */
const REMEMBERED_MAX = 1_000;

interface Watched {
  readonly play: WatchedPlay;
  readonly watcher: PlayWatcher;
}

/** What one socket of socket.io has subscribed to: single plays, flows, the company. */
export class IoReader {
  /** The caller behind it. */
  readonly live: LiveReader;
  private readonly plays = new Map<string, Watched>();
  /** Number of the next frame of plays that had a subscription of their own: the company's feed may come later. */
  private readonly toldUpTo = new Map<string, number>();
  private readonly flowIds = new Set<string>();
  /** Subscriptions that are being decided on. */
  private deciding = 0;
  private readonly readable: ReadableFlows;
  private wholeCompany = false;
  private company: { readonly feed: CompanyFeed; readonly reader: CompanyReader } | null = null;
  private joining: Promise<void> | null = null;
  private closed = false;

  constructor(
    caller: Principal,
    private readonly socket: IoSocket,
    private readonly parts: LiveParts,
  ) {
    const { access, credentials, clock } = parts;
    this.readable = new ReadableFlows(access, () => clock.monotonicMs());
    this.live = new LiveReader(caller, {
      credentials,
      mayGoOn: (now) => this.mayGoOn(now),
      concernsFlow: () => true,
      onHold: () => this.hold(),
      onGoOn: () => this.goOn(),
      close: (code, reason) => socket.close(code, reason),
      get isClosing() {
        return socket.isClosing;
      },
    });
  }

  /** @throws WeftError why this caller may not have it */
  async subscribe(wish: Wish): Promise<void> {
    if (!this.has(wish) && this.plays.size + this.flowIds.size + this.deciding >= SUBSCRIPTIONS_MAX) {
      this.socket.close(CLOSE.tooMany, 'too many subscriptions');
      return;
    }
    const since = this.parts.readers.changes;
    this.deciding += 1;
    try {
      await this.decide(wish);
    } finally {
      this.deciding -= 1;
    }
    // what was lost while this was decided was looked at without it
    if (since !== this.parts.readers.changes) void this.live.look();
  }

  private has(wish: Wish): boolean {
    if ('playId' in wish) return this.plays.has(wish.playId);
    return 'flowId' in wish && this.flowIds.has(wish.flowId);
  }

  private async decide(wish: Wish): Promise<void> {
    if ('playId' in wish) {
      await this.watch(wish.playId, wish.fromSeq);
      return;
    }
    if ('flowId' in wish) await this.parts.access.requireFlow(this.live.caller, wish.flowId);
    await (this.joining ??= this.join());
    if ('flowId' in wish) this.flowIds.add(wish.flowId);
    else this.wholeCompany = true;
  }

  unsubscribe(wish: Wish): void {
    if ('playId' in wish) this.unwatch(wish.playId);
    else if ('flowId' in wish) this.flowIds.delete(wish.flowId);
    else this.wholeCompany = false;
    if (!this.wholeCompany && this.flowIds.size === 0) this.leave();
  }

  /** There is room again. */
  resume(): void {
    for (const { watcher } of this.plays.values()) this.parts.feeds.plays.resume(watcher);
    this.company?.reader.resume();
  }

  /** The socket has closed. */
  close(): void {
    this.closed = true;
    for (const playId of this.plays.keys()) this.unwatch(playId);
    this.leave();
  }

  private async watch(playId: string, fromSeq: number): Promise<void> {
    const play = await this.parts.access.requireRead(this.live.caller, playId);
    if (this.closed) return;
    this.unwatch(playId);
    const address = { playId, companyId: play.company_id, flowId: play.flowId };
    const watcher = new PlayWatcher(address, fromSeq, this.sinkOf(playId));
    this.plays.set(playId, { play, watcher });
    this.parts.feeds.plays.add(watcher);
  }

  private unwatch(playId: string): void {
    const watched = this.plays.get(playId);
    if (!watched) return;
    this.plays.delete(playId);
    this.parts.feeds.plays.delete(watched.watcher);
    this.remember(playId, watched.watcher.nextSeq);
  }

  /** The end of a play is the end of its subscription, and not of the socket. */
  private sinkOf(playId: string): FrameSink {
    const { socket } = this;
    let ended = false;
    return {
      get isFull() {
        return socket.isFull;
      },
      get isClosing() {
        return ended || socket.isClosing;
      },
      send: (text) => socket.send(text),
      close: (code) => {
        if (ended) return;
        ended = true;
        this.unwatch(playId);
        socket.tellEnded({ playId }, code);
      },
    };
  }

  private async join(): Promise<void> {
    const { access, feeds, figures, onFault } = this.parts;
    try {
      const feed = await feeds.companies.acquire(this.live.caller.companyId);
      const reader = new CompanyReader(feed, this.socket, this.readable, {
        ...feeds.missed,
        takesEvents: true,
        textOf: (frame) => (this.wants(frame) ? frame.eventText : null),
        caller: () => this.live.caller,
        seesPlay: (triggeredBy) => access.seesPlay(this.live.caller, triggeredBy),
        onSent: () => figures.framesSent(1),
        onFault,
      });
      this.company = { feed, reader };
      feed.add(reader);
      if (this.closed) this.leave();
    } catch (error) {
      this.joining = null;
      throw error;
    }
  }

  private leave(): void {
    if (!this.company) return;
    const { feed, reader } = this.company;
    this.company = null;
    this.joining = null;
    feed.delete(reader);
    reader.end();
    this.parts.feeds.companies.release(feed);
  }

  private remember(playId: string, nextSeq: number): void {
    this.toldUpTo.delete(playId);
    this.toldUpTo.set(playId, nextSeq);
    const [oldest] = this.toldUpTo.size > REMEMBERED_MAX ? this.toldUpTo.keys() : [];
    if (oldest !== undefined) this.toldUpTo.delete(oldest);
  }

  private wants({ playId, flowId, seq }: Pick<CompanyFrame, 'playId' | 'flowId' | 'seq'>): boolean {
    if (this.plays.has(playId)) return false; // told by its own subscription
    if (seq < (this.toldUpTo.get(playId) ?? 0)) return false;
    return this.wholeCompany || this.flowIds.has(flowId);
  }

  private async mayGoOn(caller: Principal): Promise<boolean> {
    const { access } = this.parts;
    if (!access.mayGoOn(caller)) return false;
    for (const [playId, { play, watcher }] of this.plays) {
      if (await access.mayStillRead(caller, play)) continue;
      if (this.plays.get(playId)?.watcher === watcher) {
        watcher.sink.close(CLOSE.rightLost, 'you may not read this play any more');
      }
    }
    return true;
  }

  private hold(): void {
    for (const { watcher } of this.plays.values()) watcher.suspended = true;
    this.company?.reader.hold();
  }

  private goOn(): void {
    this.readable.forget();
    for (const { watcher } of this.plays.values()) watcher.suspended = false;
    this.company?.reader.goOn();
    this.resume();
  }
}
