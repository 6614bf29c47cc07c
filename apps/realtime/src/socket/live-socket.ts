import type { Clock } from '@weft/kernel';
import { CLOSE } from '@weft/contracts';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

/** Limits in milliseconds and bytes: docs/live.md. */
export interface SocketLimits {
  readonly pingPeriodMs: number;
  /** A reader that sends no pong for this long is considered gone. */
  readonly readDeadlineMs: number;
  /** A reader that takes nothing for this long is too slow; also the limit for the closing handshake. */
  readonly writeDeadlineMs: number;
  /** Once this many bytes wait for the peer, no more should be sent until a quarter of that is left. */
  readonly bufferBytes: number;
}

export interface SocketEvents {
  /** The socket has room again after `isFull`. */
  readonly onDrain: () => void;
  /** @param text null for a message that is not text */
  readonly onMessage: (text: string | null) => void;
  /** Called once a ping period: the time to recheck whether this reader may still read. */
  readonly onPing: () => void;
  readonly onClosed: (code: number) => void;
}

/**
 * Frames of one turn of the event loop are written together, up to about this size: the peer takes a write as a whole.
 */
const WRITE_BYTES = 16 * 1024;
/**
 * Kernel buffers between this process and a reader hold some megabytes that the reader has not read. So after this many
 * bytes a ping asks for a receipt, and with this many bytes that no pong has confirmed nothing more is sent: a reader
 * that does not read costs a bounded amount.
 */
const RECEIPT_BYTES = 64 * 1024;
const UNCONFIRMED_BYTES = 1024 * 1024;

/**
 * The socket of one reader: keepalive, deadlines, and a limit on what waits in memory for it. It never refuses to send,
 * so its owner must stop while `isFull`.
 */
export class LiveSocket {
  private unsentBytes = 0;
  /** Totals since the start: bytes sent, bytes for which a receipt was requested, bytes whose receipt has arrived. */
  private sentBytes = 0;
  private receiptAskedBytes = 0;
  private confirmedBytes = 0;
  private full = false;
  private corkedBytes = 0;
  private lastTakenAt: number;
  private lastHeardAt: number;
  private lastPingedAt: number;
  private closing: { readonly code: number; readonly at: number } | null = null;

  constructor(
    private readonly ws: WebSocket,
    private readonly limits: SocketLimits,
    private readonly clock: Clock,
    private readonly events: SocketEvents,
    /** The TCP or TLS connection of the WebSocket. */
    private readonly connection?: Pick<Duplex, 'cork' | 'uncork'>,
  ) {
    this.lastTakenAt = this.lastHeardAt = this.lastPingedAt = clock.monotonicMs();
    ws.on('pong', (receipt: Buffer) => {
      this.lastHeardAt = clock.monotonicMs();
      if (receipt.byteLength > 0) this.onReceipt(Number(receipt.toString()));
    });
    ws.on('message', (data: Buffer, isBinary) => {
      if (!this.isClosing) events.onMessage(isBinary ? null : data.toString());
    });
    // ws itself sends the close code of the error (1009 above 64 KB, 1002, 1007)
    ws.on('error', (error: Error & { code?: string }) => this.startClosing(closeCodeOf(error)));
    ws.on('close', (code) => events.onClosed(this.closing?.code ?? code));
  }

  get isFull(): boolean {
    return this.full;
  }

  get isClosing(): boolean {
    return this.closing !== null || this.ws.readyState !== WebSocket.OPEN;
  }

  /** @param text UTF-8; readers share the buffer, and it is not changed afterwards */
  send(text: Buffer): void {
    if (this.isClosing) return;
    if (this.unsentBytes === 0) this.lastTakenAt = this.clock.monotonicMs();
    this.unsentBytes += text.byteLength;
    this.sentBytes += text.byteLength;
    this.full ||= this.unsentBytes >= this.limits.bufferBytes || this.unconfirmedBytes >= UNCONFIRMED_BYTES;
    this.cork(text.byteLength);
    this.ws.send(text, { binary: false }, (error) => {
      if (!error) this.onTaken(text.byteLength);
    });
    if (this.sentBytes - this.receiptAskedBytes >= RECEIPT_BYTES) this.askForReceipt();
    if (this.corkedBytes >= WRITE_BYTES) this.uncork();
  }

  /** What was sent before still arrives, if the peer takes it within the write deadline. */
  close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.startClosing(code);
    this.ws.close(code, reason);
  }

  /**
   * Checks the deadlines; called several times within the shortest limit.
   *
   * @param lostMs time in which this process could not run (it was suspended, or its event loop was blocked); it does
   * not count against the peer
   */
  tick(lostMs: number): void {
    const now = this.clock.monotonicMs();
    const { pingPeriodMs, readDeadlineMs, writeDeadlineMs } = this.limits;
    this.lastHeardAt += lostMs;
    this.lastTakenAt += lostMs;
    if (this.closing) {
      if (now - this.closing.at >= writeDeadlineMs) this.terminate();
    } else if (this.hasUnsentData && now - this.lastTakenAt >= writeDeadlineMs) {
      this.close(CLOSE.tooSlow, 'the reader takes nothing; connect again and resume');
    } else if (!this.hasUnsentData && now - this.lastHeardAt >= readDeadlineMs) {
      // while data waits, so does the ping that was sent after it: then the write deadline decides
      this.close(CLOSE.noPong, 'no pong came');
    } else if (now - this.lastPingedAt >= pingPeriodMs) {
      this.lastPingedAt = now;
      if (!this.isClosing) this.ws.ping();
      this.events.onPing();
    }
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.ws.terminate();
  }

  private get unconfirmedBytes(): number {
    return this.sentBytes - this.confirmedBytes;
  }

  /** Whether the peer has to read before more can be sent, or bytes wait. */
  private get hasUnsentData(): boolean {
    return this.full || this.unsentBytes > 0;
  }

  private askForReceipt(): void {
    this.receiptAskedBytes = this.sentBytes;
    this.ws.ping(String(this.receiptAskedBytes));
  }

  /** @param bytes as the peer claims: ignored if it is more than was asked for */
  private onReceipt(bytes: number): void {
    if (!(bytes > this.confirmedBytes && bytes <= this.receiptAskedBytes)) return;
    this.confirmedBytes = bytes;
    this.onProgress();
  }

  private onTaken(bytes: number): void {
    this.unsentBytes -= bytes;
    this.onProgress();
  }

  private onProgress(): void {
    this.lastTakenAt = this.clock.monotonicMs();
    // not at the first free byte: each time that there is room causes a read of what is to be sent
    if (!this.full || this.unsentBytes > this.limits.bufferBytes / 4) return;
    if (this.unconfirmedBytes > UNCONFIRMED_BYTES / 2) return;
    this.full = false;
    if (this.isClosing) return;
    this.lastHeardAt = this.lastTakenAt; // no pong could arrive earlier
    this.events.onDrain();
  }

  private cork(bytes: number): void {
    if (this.corkedBytes === 0) {
      this.connection?.cork();
      process.nextTick(() => this.uncork());
    }
    this.corkedBytes += bytes;
  }

  private uncork(): void {
    if (this.corkedBytes === 0) return;
    this.corkedBytes = 0;
    this.connection?.uncork();
  }

  private startClosing(code: number): void {
    this.closing ??= { code, at: this.clock.monotonicMs() };
  }
}

function closeCodeOf(error: { readonly code?: string }): number {
  return error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? CLOSE.tooBig : 1002;
}
