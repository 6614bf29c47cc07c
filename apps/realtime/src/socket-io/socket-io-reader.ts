import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import type { WatchedPlay } from '@weft/store';
import type { CompanyFeed } from '../company-stream/company-feed.js';
import type { CompanyFrame } from '../company-stream/company-frame.js';
import { CompanyReader } from '../company-stream/company-reader.js';
import { ReadableFlows } from '../company-stream/readable-flows.js';
import { MAX_SUBSCRIPTIONS } from '../company-stream/subscriptions.js';
import type { GatewayContext } from '../gateway-context.js';
import { PlayWatcher, type FrameSink } from '../play-stream/play-watcher.js';
import { LiveReader } from '../rights/live-reader.js';
import type { SocketIoConnection } from './socket-io-connection.js';
import type { SubscribeRequest } from './subscribe-request.js';

/** For how many plays the position of an ended subscription is remembered. */
const MAX_REMEMBERED_PLAYS = 1_000;

type Kinds = readonly ('play' | 'layer')[] | undefined;

interface PlaySubscription {
  readonly play: WatchedPlay;
  readonly watcher: PlayWatcher;
}

/** The subscriptions of one socket of socket.io: single plays, flows, the company. */
export class SocketIoReader {
  /** The caller of the socket. */
  readonly live: LiveReader;
  private readonly plays = new Map<string, PlaySubscription>();
  /**
   * Number of the next frame of plays that had a subscription of their own: the company's feed may deliver the same
   * frames later.
   */
  private readonly sentUpTo = new Map<string, number>();
  /** The kinds of frames that each subscription wants; undefined: all, without rows. */
  private readonly flows = new Map<string, Kinds>();
  /** How many subscriptions are being decided. */
  private deciding = 0;
  private readonly readable: ReadableFlows;
  private wholeCompany: { readonly kinds: Kinds } | null = null;
  private company: { readonly feed: CompanyFeed; readonly reader: CompanyReader } | null = null;
  private joining: Promise<void> | null = null;
  private closed = false;

  constructor(
    caller: Principal,
    private readonly socket: SocketIoConnection,
    private readonly context: GatewayContext,
  ) {
    const { access, credentials, clock } = context;
    this.readable = new ReadableFlows(access, () => clock.monotonicMs());
    this.live = new LiveReader(caller, {
      credentials,
      mayContinue: (now) => this.mayContinue(now),
      concernsFlow: () => true,
      onSuspended: () => this.suspend(),
      onConfirmed: () => this.onConfirmed(),
      close: (code, reason) => socket.close(code, reason),
      get isClosing() {
        return socket.isClosing;
      },
    });
  }

  /** @throws WeftError why the caller may not subscribe */
  async subscribe(request: SubscribeRequest): Promise<void> {
    if (!this.has(request) && this.plays.size + this.flows.size + this.deciding >= MAX_SUBSCRIPTIONS) {
      this.socket.close(CLOSE.tooMany, 'too many subscriptions');
      return;
    }
    const since = this.context.readers.changes;
    this.deciding += 1;
    try {
      await this.decide(request);
    } finally {
      this.deciding -= 1;
    }
    // a right that was lost during the decision was rechecked without this subscription
    if (since !== this.context.readers.changes) void this.live.recheck();
  }

  private has(request: SubscribeRequest): boolean {
    if ('playId' in request) return this.plays.has(request.playId);
    return 'flowId' in request && this.flows.has(request.flowId);
  }

  private async decide(request: SubscribeRequest): Promise<void> {
    if ('playId' in request) {
      await this.watch(request.playId, request.fromSeq);
      return;
    }
    if ('flowId' in request) await this.context.access.requireFlow(this.live.caller, request.flowId);
    await (this.joining ??= this.join());
    if ('flowId' in request) this.flows.set(request.flowId, request.kinds);
    else this.wholeCompany = { kinds: request.kinds };
  }

  unsubscribe(request: SubscribeRequest): void {
    if ('playId' in request) this.unwatch(request.playId);
    else if ('flowId' in request) this.flows.delete(request.flowId);
    else this.wholeCompany = null;
    if (!this.wholeCompany && this.flows.size === 0) this.leave();
  }

  /** The socket has room again. */
  resume(): void {
    for (const { watcher } of this.plays.values()) this.context.feeds.plays.resume(watcher);
    this.company?.reader.resume();
  }

  /** The socket has closed. */
  close(): void {
    this.closed = true;
    for (const playId of this.plays.keys()) this.unwatch(playId);
    this.leave();
  }

  private async watch(playId: string, fromSeq: number): Promise<void> {
    const play = await this.context.access.requireRead(this.live.caller, playId);
    if (this.closed) return;
    this.unwatch(playId);
    const address = { playId, companyId: play.company_id, flowId: play.flowId };
    const watcher = new PlayWatcher(address, fromSeq, this.sinkOf(playId));
    this.plays.set(playId, { play, watcher });
    this.context.feeds.plays.add(watcher);
  }

  private unwatch(playId: string): void {
    const watched = this.plays.get(playId);
    if (!watched) return;
    this.plays.delete(playId);
    this.context.feeds.plays.delete(watched.watcher);
    this.remember(playId, watched.watcher.nextSeq);
  }

  /** The end of a play ends its subscription, not the socket. */
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
        socket.sendEnded({ playId }, code);
      },
    };
  }

  private async join(): Promise<void> {
    const { access, feeds, metrics, onFault } = this.context;
    try {
      const feed = await feeds.companies.acquire(this.live.caller.companyId);
      const reader = new CompanyReader(feed, this.socket, this.readable, {
        ...feeds.catchUp,
        takesEvents: true,
        takesAcceptances: () => false,
        textOf: (frame) => this.textOf(frame),
        caller: () => this.live.caller,
        seesPlay: (triggeredBy) => access.seesPlay(this.live.caller, triggeredBy),
        onSent: () => metrics.framesSent(1),
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
    this.context.feeds.companies.release(feed);
  }

  private remember(playId: string, nextSeq: number): void {
    this.sentUpTo.delete(playId);
    this.sentUpTo.set(playId, nextSeq);
    const [oldest] = this.sentUpTo.size > MAX_REMEMBERED_PLAYS ? this.sentUpTo.keys() : [];
    if (oldest !== undefined) this.sentUpTo.delete(oldest);
  }

  private textOf(frame: CompanyFrame): Buffer | null {
    const { playId, flowId, seq, kind } = frame;
    if (this.plays.has(playId)) return null; // its own subscription delivers it
    if (seq < (this.sentUpTo.get(playId) ?? 0)) return null;
    const wishes = [...(this.wholeCompany ? [this.wholeCompany.kinds] : [])];
    if (this.flows.has(flowId)) wishes.push(this.flows.get(flowId));
    const matching = wishes.filter((kinds) => !kinds || (kind !== 'acceptance' && kinds.includes(kind)));
    if (matching.length === 0) return null;
    return matching.some((kinds) => kinds) ? frame.rowEventText : frame.eventText;
  }

  private async mayContinue(caller: Principal): Promise<boolean> {
    const { access } = this.context;
    if (!access.mayContinue(caller)) return false;
    for (const [playId, { play, watcher }] of this.plays) {
      if (await access.mayStillRead(caller, play)) continue;
      if (this.plays.get(playId)?.watcher === watcher) {
        watcher.sink.close(CLOSE.rightLost, 'you may not read this play any more');
      }
    }
    return true;
  }

  private suspend(): void {
    for (const { watcher } of this.plays.values()) watcher.suspended = true;
    this.company?.reader.suspend();
  }

  private onConfirmed(): void {
    this.readable.clear();
    for (const { watcher } of this.plays.values()) watcher.suspended = false;
    this.company?.reader.unsuspend();
    this.resume();
  }
}
