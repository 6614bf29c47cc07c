import { CLOSE } from '@weft/contracts';
import type { Clock } from '@weft/kernel';
import type { Socket } from 'socket.io';
import type { WebSocket } from 'ws';
import type { FrameSink } from '../play-stream/play-watcher.js';
import type { SocketLimits } from '../socket/live-socket.js';
import type { OpenSocket } from '../socket/open-sockets.js';

/**
 * How socket.io writes `emit('event', …)` of the namespace around the frame, so that a frame is serialized once for all
 * readers.
 */
const FRAME_PREFIX = '2/plays,["event",';
const FRAME_SUFFIX = ']';

export interface SocketIoConnectionEvents {
  readonly onDrain: () => void;
  /** Called once a ping period: the time to recheck whether this reader may still read. */
  readonly onPing: () => void;
}

/** A socket of socket.io with three additions: a limit on what waits in memory, a write deadline, and close codes. */
export class SocketIoConnection implements FrameSink, OpenSocket {
  private unsentBytes = 0;
  private full = false;
  private lastTakenAt: number;
  private lastHeardAt: number;
  private lastPingedAt: number;
  private closing: { readonly code: number; readonly at: number } | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly ws: WebSocket,
    private readonly limits: SocketLimits,
    private readonly clock: Clock,
    private readonly events: SocketIoConnectionEvents,
  ) {
    this.lastTakenAt = this.lastHeardAt = this.lastPingedAt = clock.monotonicMs();
    socket.conn.on('heartbeat', () => (this.lastHeardAt = clock.monotonicMs()));
    socket.conn.on('drain', () => (this.lastTakenAt = clock.monotonicMs()));
  }

  get isFull(): boolean {
    return this.full;
  }

  get isClosing(): boolean {
    return this.closing !== null || !this.socket.connected;
  }

  /** The close code, if this side closed the socket. */
  get closedWith(): number | null {
    return this.closing?.code ?? null;
  }

  send(text: Buffer): void {
    if (this.isClosing) return;
    if (this.unsentBytes === 0) this.lastTakenAt = this.clock.monotonicMs();
    this.unsentBytes += text.byteLength;
    this.full ||= this.unsentBytes >= this.limits.bufferBytes;
    this.socket.conn.send(FRAME_PREFIX + text.toString() + FRAME_SUFFIX, { compress: false }, () =>
      this.onTaken(text.byteLength),
    );
  }

  /** Notifies the client that a subscription has ended. */
  sendEnded(what: object, code: number): void {
    if (!this.isClosing) this.socket.emit('ended', { ...what, code });
  }

  close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.closing = { code, at: this.clock.monotonicMs() };
    this.ws.close(code, reason);
  }

  terminate(): void {
    this.ws.terminate();
  }

  tick(lostMs: number): void {
    const now = this.clock.monotonicMs();
    const { pingPeriodMs, readDeadlineMs, writeDeadlineMs } = this.limits;
    this.lastTakenAt += lostMs;
    this.lastHeardAt += lostMs;
    const hasUnsentData = this.waits;
    if (!hasUnsentData) this.lastTakenAt = now;
    if (this.closing) {
      if (now - this.closing.at >= writeDeadlineMs) this.terminate();
    } else if (hasUnsentData && now - this.lastTakenAt >= writeDeadlineMs) {
      this.close(CLOSE.tooSlow, 'the reader takes nothing; connect again');
    } else if (!hasUnsentData && now - this.lastHeardAt >= readDeadlineMs) {
      // while data waits, so does the ping that was sent after it
      this.close(CLOSE.noPong, 'no pong came');
    } else if (now - this.lastPingedAt >= pingPeriodMs) {
      this.lastPingedAt = now;
      this.events.onPing();
    }
  }

  /** Whether the peer has not yet taken all frames, acknowledgements and other packets. */
  private get waits(): boolean {
    return this.unsentBytes > 0 || !this.socket.conn.transport.writable || this.ws.bufferedAmount > 0;
  }

  private onTaken(bytes: number): void {
    this.unsentBytes -= bytes;
    this.lastTakenAt = this.clock.monotonicMs();
    if (!this.full || this.unsentBytes > this.limits.bufferBytes / 4) return;
    this.full = false;
    this.lastHeardAt = this.lastTakenAt; // no pong could arrive earlier
    if (!this.isClosing) this.events.onDrain();
  }
}
