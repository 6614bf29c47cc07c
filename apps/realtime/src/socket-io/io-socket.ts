import { CLOSE } from '@weft/contracts';
import type { Clock } from '@weft/kernel';
import type { Socket } from 'socket.io';
import type { WebSocket } from 'ws';
import type { FrameSink } from '../play-stream/play-watcher.js';
import type { SocketLimits } from '../socket/live-socket.js';
import type { OpenSocket } from '../socket/open-sockets.js';

/** How socket.io writes `emit('event', …)` in the namespace, around the frame: so frames are made into text once. */
const BEFORE = '2/plays,["event",';
const AFTER = ']';

export interface IoSocketEvents {
  readonly onDrain: () => void;
  /** Once a ping period: the time to look again whether this reader may still read. */
  readonly onPing: () => void;
}

/** A socket of socket.io with what it lacks: a bound on what waits in memory, a write deadline, and close codes. */
export class IoSocket implements FrameSink, OpenSocket {
  private unsentBytes = 0;
  private full = false;
  private takenAt: number;
  private heardAt: number;
  private pingedAt: number;
  private farewell: { readonly code: number; readonly at: number } | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly ws: WebSocket,
    private readonly limits: SocketLimits,
    private readonly clock: Clock,
    private readonly events: IoSocketEvents,
  ) {
    this.takenAt = this.heardAt = this.pingedAt = clock.monotonicMs();
    socket.conn.on('heartbeat', () => (this.heardAt = clock.monotonicMs()));
    socket.conn.on('drain', () => (this.takenAt = clock.monotonicMs()));
  }

  get isFull(): boolean {
    return this.full;
  }

  get isClosing(): boolean {
    return this.farewell !== null || !this.socket.connected;
  }

  /** The code that ended it, when that was ours. */
  get closedWith(): number | null {
    return this.farewell?.code ?? null;
  }

  send(text: Buffer): void {
    if (this.isClosing) return;
    if (this.unsentBytes === 0) this.takenAt = this.clock.monotonicMs();
    this.unsentBytes += text.byteLength;
    this.full ||= this.unsentBytes >= this.limits.bufferBytes;
    this.socket.conn.send(BEFORE + text.toString() + AFTER, { compress: false }, () => this.taken(text.byteLength));
  }

  /** Tells the client that it gets nothing more of what it subscribed to. */
  tellEnded(what: object, code: number): void {
    if (!this.isClosing) this.socket.emit('ended', { ...what, code });
  }

  close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.farewell = { code, at: this.clock.monotonicMs() };
    this.ws.close(code, reason);
  }

  terminate(): void {
    this.ws.terminate();
  }

  tick(lostMs: number): void {
    const now = this.clock.monotonicMs();
    const { pingPeriodMs, readDeadlineMs, writeDeadlineMs } = this.limits;
    this.takenAt += lostMs;
    this.heardAt += lostMs;
    const waits = this.waits;
    if (!waits) this.takenAt = now;
    if (this.farewell) {
      if (now - this.farewell.at >= writeDeadlineMs) this.terminate();
    } else if (waits && now - this.takenAt >= writeDeadlineMs) {
      this.close(CLOSE.tooSlow, 'the reader takes nothing; connect again');
    } else if (!waits && now - this.heardAt >= readDeadlineMs) {
      // while something waits, so does the ping behind it
      this.close(CLOSE.noPong, 'no pong came');
    } else if (now - this.pingedAt >= pingPeriodMs) {
      this.pingedAt = now;
      this.events.onPing();
    }
  }

  /** Frames, or answers and other packets of socket.io, that the peer has not taken. */
  private get waits(): boolean {
    return this.unsentBytes > 0 || !this.socket.conn.transport.writable || this.ws.bufferedAmount > 0;
  }

  private taken(bytes: number): void {
    this.unsentBytes -= bytes;
    this.takenAt = this.clock.monotonicMs();
    if (!this.full || this.unsentBytes > this.limits.bufferBytes / 4) return;
    this.full = false;
    this.heardAt = this.takenAt; // the pong could not come sooner
    if (!this.isClosing) this.events.onDrain();
  }
}
