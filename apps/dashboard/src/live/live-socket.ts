import { parseJson, type components } from '@weft/client';
import { CLOSE } from '@weft/contracts';

type Play = components['schemas']['Play'];

/** A message of the company's stream: docs/live.md, "A company". */
export interface LiveMessage {
  readonly cursor: string;
  readonly playId: string;
  readonly flowId: string;
  /** Null for a change of the play itself. */
  readonly ref: string | null;
  readonly state: string;
  readonly seq: number;
  readonly timestamp: string;
  /** The row of the list after the change, where `ref` is null. */
  readonly play?: Play;
  readonly oldState?: string | null;
}

export type LiveStanding = 'connecting' | 'live' | 'catching-up' | 'paused';

export interface LiveStatus {
  readonly standing: LiveStanding;
  /** Up to when the page is true, in this browser's time; null while nothing was ever received. */
  readonly trueUntilMs: number | null;
  /** Why it is paused. */
  readonly reason: string | null;
}

export interface LivePorts {
  readonly open: (query: string) => WebSocket;
  readonly now: () => number;
  /** Resolves when the session is the one of the page; rejects when the server is unreachable. */
  readonly sessionOfPage: () => Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** After this many refusals in a row a cursor may be too old to be taken. */
const REFUSALS_PER_CURSOR = 3;
const CAUGHT_UP_MS = 1_500;
const QUIET_MS = 600;
const MAX_KNOWN_PLAYS = 20_000;
/** Reconnecting does not help. */
const HOPELESS: ReadonlySet<number> = new Set([CLOSE.tooBig, CLOSE.badMessage, CLOSE.rightLost, CLOSE.tooMany]);

/** Closings that say nothing of the session: the way is cut, or the server stops. */
const CUTS: ReadonlySet<number> = new Set([1005, 1006, CLOSE.goingAway, 1012]);

/** One socket to the stream of the company, which is resumed by its cursor: what it tells has no gap and nothing twice. */
export class LiveSocket {
  status: LiveStatus = { standing: 'connecting', trueUntilMs: null, reason: null };
  private socket: WebSocket | null = null;
  private isWanted = false;
  /** False: whose session it is may have changed unheard. A tab that is awake hears of it from the tab where it changes. */
  private isSessionSure = true;
  /** Of connecting: only the latest goes on. */
  private attempt = 0;
  private cursor: string | null = null;
  private refusals = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private quiet: ReturnType<typeof setTimeout> | undefined;
  /** The smallest age of a message so far: the difference of the clocks, and the way. */
  private skewMs = Infinity;
  private readonly seen = new Map<string, number>();
  private readonly watched = new Map<string, number>();

  constructor(
    private readonly ports: LivePorts,
    private readonly hear: {
      readonly message: (message: LiveMessage) => void;
      /** Something may have been missed: what is shown must be read again. */
      readonly gap: () => void;
      readonly status: () => void;
    },
  ) {}

  connect(): void {
    this.isWanted = true;
    this.attempt += 1;
    clearTimeout(this.timer);
    if (this.isSessionSure) this.open();
    else void this.openWhenSure(this.attempt);
  }

  private async openWhenSure(attempt: number): Promise<void> {
    const isReachable = await this.ports.sessionOfPage().then(
      () => true,
      () => false,
    );
    if (attempt !== this.attempt || !this.isWanted) return;
    if (isReachable) {
      this.isSessionSure = true;
      return this.open();
    }
    this.refusals += 1;
    this.become('paused', 'Weft cannot be reached.');
    this.retry();
  }

  private open(): void {
    const cursor = this.cursor;
    const query = `?kinds=play${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const socket = this.ports.open(query);
    let isOpen = false;
    this.socket = socket;
    socket.addEventListener('open', () => {
      isOpen = true;
      this.refusals = 0;
      for (const playId of this.watched.keys()) this.send('subscribe', playId);
      if (cursor === null) this.hear.gap();
      this.become(cursor === null ? 'live' : 'catching-up');
      if (cursor !== null) this.whenQuiet();
    });
    socket.addEventListener('message', (event) => {
      // one that was given up may be of another session
      if (this.socket === socket) this.take(parseJson(String(event.data)) as LiveMessage);
    });
    socket.addEventListener('close', ({ code }) => {
      if (this.socket !== socket) return;
      this.socket = null;
      clearTimeout(this.quiet);
      if (isOpen) this.closed(code);
      else this.refused();
    });
  }

  /** After the computer slept or the network came back: the socket may be dead without knowing. */
  reconnect(): void {
    this.isSessionSure = false;
    const old = this.socket;
    this.socket = null;
    clearTimeout(this.quiet);
    if (this.status.standing === 'live') this.become('catching-up');
    old?.close();
    this.connect();
  }

  close(): void {
    this.isWanted = false;
    this.isSessionSure = false;
    const old = this.socket;
    this.socket = null;
    clearTimeout(this.timer);
    clearTimeout(this.quiet);
    old?.close();
  }

  /** Layers of this play are sent, too, until the returned function is called. */
  watch(playId: string): () => void {
    const count = this.watched.get(playId) ?? 0;
    this.watched.set(playId, count + 1);
    if (count === 0) this.send('subscribe', playId);
    return () => {
      const left = (this.watched.get(playId) ?? 1) - 1;
      if (left > 0) this.watched.set(playId, left);
      else if (this.watched.delete(playId)) this.send('unsubscribe', playId);
    };
  }

  private send(action: 'subscribe' | 'unsubscribe', playId: string): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ action, playIds: [playId], kinds: ['layer'] }));
  }

  private take(message: LiveMessage): void {
    this.cursor = message.cursor;
    const ageMs = this.ports.now() - Date.parse(message.timestamp);
    this.skewMs = Math.min(this.skewMs, ageMs);
    if (this.status.standing === 'catching-up') {
      const behindMs = ageMs - this.skewMs;
      if (behindMs < CAUGHT_UP_MS) this.become('live');
      else this.whenQuiet();
    }
    if (message.seq <= (this.seen.get(message.playId) ?? -1)) return;
    this.remember(message);
    this.hear.message(message);
  }

  private remember({ playId, seq }: LiveMessage): void {
    this.seen.delete(playId);
    this.seen.set(playId, seq);
    if (this.seen.size > MAX_KNOWN_PLAYS) this.seen.delete(this.seen.keys().next().value ?? '');
  }

  /** A stream that says nothing has nothing more to say. */
  private whenQuiet(): void {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.become('live'), QUIET_MS);
  }

  private become(standing: LiveStanding, reason: string | null = null): void {
    const wasTrue = this.status.standing === 'live' ? this.ports.now() : this.status.trueUntilMs;
    this.status = { standing, reason, trueUntilMs: standing === 'live' ? this.ports.now() : wasTrue };
    this.hear.status();
  }

  private closed(code: number): void {
    this.isSessionSure &&= CUTS.has(code);
    if (HOPELESS.has(code)) {
      this.become(
        'paused',
        code === CLOSE.rightLost ? 'Your rights have changed.' : `The server closed the stream (${code}).`,
      );
      return;
    }
    this.become('paused', 'The connection was cut.');
    this.retry();
  }

  private refused(): void {
    this.refusals += 1;
    if (this.refusals % REFUSALS_PER_CURSOR === 0) this.cursor = null;
    if (this.refusals > 1) this.isSessionSure = false; // the server may refuse the session
    // one may be a cut before the socket was open; before all others the server has answered
    const reason =
      this.refusals === 1
        ? 'Weft cannot be reached.'
        : 'The live stream does not answer; a proxy may not forward WebSockets.';
    this.become('paused', reason);
    this.retry();
  }

  private retry(): void {
    if (this.socket || !this.isWanted) return;
    const most = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.refusals - 1));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), most * (0.5 + Math.random() / 2));
  }
}
