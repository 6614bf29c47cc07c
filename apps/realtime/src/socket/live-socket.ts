import type { Clock } from '@weft/kernel';
import { CLOSE } from '@weft/contracts';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

/** Milliseconds and bytes of contract §6 and specification §6.1. */
export interface SocketLimits {
  readonly pingPeriodMs: number;
  /** Without a pong for that long the reader is gone. */
  readonly readDeadlineMs: number;
  /** A reader that takes nothing for that long is too slow; also the time that a farewell may take. */
  readonly writeDeadlineMs: number;
  /** From that many bytes on that the peer has not taken, nothing more is to be sent until a quarter is left. */
  readonly bufferBytes: number;
}

export interface SocketEvents {
  /** There is room again after `isFull`. */
  readonly onDrain: () => void;
  /** @param text null for what is no text */
  readonly onMessage: (text: string | null) => void;
  /** Once a ping period: the time to look again whether this reader may still read. */
  readonly onPing: () => void;
  readonly onClosed: (code: number) => void;
}

/** Frames of one turn of the loop leave as one write up to about this size: the peer takes a write as a whole. */
const WRITE_BYTES = 16 * 1024;
/**
 * The kernels between us and a reader take some megabytes that nobody has read. So after so many bytes a ping asks for a receipt, and
 * with so many that no pong has confirmed nothing more is sent: who does not read costs a bounded part of what is said.
 */
const RECEIPT_BYTES = 64 * 1024;
const UNCONFIRMED_BYTES = 1024 * 1024;

/**
 * One reader's socket: keepalive, deadlines, and a bound on what waits in memory for it. It sends what it is given, so its
 * owner stops giving while `isFull`.
 */
export class LiveSocket {
  private unsentBytes = 0;
  /** All since the beginning: what was sent, up to where a receipt was asked for, up to where one came. */
  private sentBytes = 0;
  private askedBytes = 0;
  private confirmedBytes = 0;
  private full = false;
  private corkedBytes = 0;
  private takenAt: number;
  private heardAt: number;
  private pingedAt: number;
  private farewell: { readonly code: number; readonly at: number } | null = null;

  constructor(
    private readonly ws: WebSocket,
    private readonly limits: SocketLimits,
    private readonly clock: Clock,
    private readonly events: SocketEvents,
    /** The connection below. */
    private readonly carrier?: Pick<Duplex, 'cork' | 'uncork'>,
  ) {
    this.takenAt = this.heardAt = this.pingedAt = clock.monotonicMs();
    ws.on('pong', (receipt: Buffer) => {
      this.heardAt = clock.monotonicMs();
      if (receipt.byteLength > 0) this.confirmed(Number(receipt.toString()));
    });
    ws.on('message', (data: Buffer, isBinary) => {
      if (!this.isClosing) events.onMessage(isBinary ? null : data.toString());
    });
    // ws itself answers with the close code of the fault (1009 above 64 KB, 1002, 1007)
    ws.on('error', (error: Error & { code?: string }) => this.sayFarewell(closeCodeOf(error)));
    ws.on('close', (code) => events.onClosed(this.farewell?.code ?? code));
  }

  get isFull(): boolean {
    return this.full;
  }

  get isClosing(): boolean {
    return this.farewell !== null || this.ws.readyState !== WebSocket.OPEN;
  }

  /** @param text UTF-8, shared among readers, not changed afterwards */
  send(text: Buffer): void {
    if (this.isClosing) return;
    if (this.unsentBytes === 0) this.takenAt = this.clock.monotonicMs();
    this.unsentBytes += text.byteLength;
    this.sentBytes += text.byteLength;
    this.full ||= this.unsentBytes >= this.limits.bufferBytes || this.unconfirmedBytes >= UNCONFIRMED_BYTES;
    this.cork(text.byteLength);
    this.ws.send(text, { binary: false }, (error) => {
      if (!error) this.taken(text.byteLength);
    });
    if (this.sentBytes - this.askedBytes >= RECEIPT_BYTES) this.askForReceipt();
    if (this.corkedBytes >= WRITE_BYTES) this.uncork();
  }

  /** What was sent before still arrives, if the peer takes it within the write deadline. */
  close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.sayFarewell(code);
    this.ws.close(code, reason);
  }

  /**
   * Looks at the clock; called several times within the shortest limit.
   *
   * @param lostMs time in which this process could not look or listen (it was stopped, or its event loop was); the peer is
   * not blamed for it
   */
  tick(lostMs: number): void {
    const now = this.clock.monotonicMs();
    const { pingPeriodMs, readDeadlineMs, writeDeadlineMs } = this.limits;
    this.heardAt += lostMs;
    this.takenAt += lostMs;
    if (this.farewell) {
      if (now - this.farewell.at >= writeDeadlineMs) this.terminate();
    } else if (this.waits && now - this.takenAt >= writeDeadlineMs) {
      this.close(CLOSE.tooSlow, 'the reader takes nothing; connect again and resume');
    } else if (!this.waits && now - this.heardAt >= readDeadlineMs) {
      // while something waits, so does the ping behind it: then the write deadline decides
      this.close(CLOSE.noPong, 'no pong came');
    } else if (now - this.pingedAt >= pingPeriodMs) {
      this.pingedAt = now;
      if (!this.isClosing) this.ws.ping();
      this.events.onPing();
    }
  }

  /** Ends the connection without a farewell. */
  terminate(): void {
    this.ws.terminate();
  }

  private get unconfirmedBytes(): number {
    return this.sentBytes - this.confirmedBytes;
  }

  /** Something waits for the peer to read. */
  private get waits(): boolean {
    return this.full || this.unsentBytes > 0;
  }

  private askForReceipt(): void {
    this.askedBytes = this.sentBytes;
    this.ws.ping(String(this.askedBytes));
  }

  /** @param bytes as the peer says: no more than we asked for */
  private confirmed(bytes: number): void {
    if (!(bytes > this.confirmedBytes && bytes <= this.askedBytes)) return;
    this.confirmedBytes = bytes;
    this.progress();
  }

  private taken(bytes: number): void {
    this.unsentBytes -= bytes;
    this.progress();
  }

  private progress(): void {
    this.takenAt = this.clock.monotonicMs();
    // not at the first free byte: each time that there is room costs a read of what is to be sent
    if (!this.full || this.unsentBytes > this.limits.bufferBytes / 4) return;
    if (this.unconfirmedBytes > UNCONFIRMED_BYTES / 2) return;
    this.full = false;
    if (this.isClosing) return;
    this.heardAt = this.takenAt; // the pong could not come sooner
    this.events.onDrain();
  }

  private cork(bytes: number): void {
    if (this.corkedBytes === 0) {
      this.carrier?.cork();
      process.nextTick(() => this.uncork());
    }
    this.corkedBytes += bytes;
  }

  private uncork(): void {
    if (this.corkedBytes === 0) return;
    this.corkedBytes = 0;
    this.carrier?.uncork();
  }

  private sayFarewell(code: number): void {
    this.farewell ??= { code, at: this.clock.monotonicMs() };
  }
}

function closeCodeOf(error: { readonly code?: string }): number {
  return error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? CLOSE.tooBig : 1002;
}
