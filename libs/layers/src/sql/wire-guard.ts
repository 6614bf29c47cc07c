/**
 * Stands between a server of PostgreSQL and the driver. The server may be hostile, and the driver believes it: it holds a message of
 * whatever length, reads fields beyond the end of their message (into memory that has contents of others), and computes a proof of
 * the password as often as it is asked to. Here the driver gets whole messages only, each in its bounds, and none that is not well-formed:
 * what it reads beyond a message is another message of the same server, or the end of what it has.
 */
import type { BytesPermit } from '@weft/concurrency';
import { Duplex } from 'node:stream';
import { LayerFailure } from '../layer-module.js';

const MB = 1024 * 1024;
export const MAX_MESSAGE_BYTES = 16 * MB;
/** Of a larger message nothing is held before there is room for it. */
export const FREE_BYTES = MB / 4;
/** How long a message may arrive for which there is room. */
const ARRIVES_WITHIN_MS = 60_000;
/** Of errors and notices. */
const MAX_NOTE_BYTES = MB / 4;
/** Nobody sends more before a session begins. */
const LOGIN_BYTES = MB / 4;
/** PostgreSQL has no more in a result. */
const MAX_COLUMNS = 1_664;
const HEADER_BYTES = 5;
const NOTHING = Buffer.alloc(0);
const [ERROR, NOTICE, ROW, COLUMNS, LOGIN] = [0x45, 0x4e, 0x44, 0x54, 0x52];
/** What a server sends: authentication, key, close, bind, copy, description, … (PostgreSQL, message formats). */
const KNOWN: ReadonlySet<number> = new Set(Buffer.from('RK23CdcGHWDIEAntNsS1TZ'));

/** Asks for room for a message; rejects when nobody wants it any more. */
export type RoomForMessage = (bytes: number) => Promise<BytesPermit>;

type Done = (error?: Error | null) => void;

export class WireGuard extends Duplex {
  /** What has arrived of a header. */
  private start: Buffer = NOTHING;
  /** A message of which a part has arrived, and how much of it. */
  private message: Buffer | null = null;
  private filled = 0;
  /** What a large message holds until it is whole. */
  private held: { end(): void } | null = null;
  private isWaiting = false;
  private received = 0;
  private most = LOGIN_BYTES;
  private isLoggedIn = false;
  /** Steps of the login that the server has asked for. */
  private readonly steps = new Set<number>();
  private room: RoomForMessage | null = null;

  /** @param socket connected, with TLS where the link asks for it */
  constructor(
    private readonly socket: Duplex,
    private readonly host: string,
  ) {
    super();
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error: Error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Since the last limit was set. */
  get receivedBytes(): number {
    return this.received;
  }

  /** Called after the login, with how many bytes the driver may receive from now on. @param room without it, no message is large */
  limit(bytes: number, room: RoomForMessage | null): void {
    this.isLoggedIn = true;
    this.received = 0;
    this.most = bytes;
    this.room = room;
  }

  /** The driver connects what it is given, also what is connected: it would resolve the host by itself, past the guard. */
  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** A message that the driver cannot read ends this connection, and not the process. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...args);
    try {
      return super.emit(event, ...args);
    } catch (error) {
      this.destroy(this.notUnderstood(error));
      return true;
    }
  }

  override _read(): void {
    if (!this.isWaiting) this.socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.socket.write(chunk, encoding, done);
  }

  override _final(done: Done): void {
    this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.held?.end();
    this.socket.destroy();
    done(error);
  }

  private receive(chunk: Buffer): void {
    this.received += chunk.byteLength;
    if (this.received > this.most) {
      if (!this.isLoggedIn) return this.refuse();
      const message = `${this.host} sent more than ${this.most} bytes: ask for fewer rows, or for mode "file"`;
      return void this.destroy(new LayerFailure('output_too_large', message));
    }
    this.cut(chunk);
  }

  private cut(given: Buffer): void {
    const chunk = this.start.byteLength > 0 ? Buffer.concat([this.start, given]) : given;
    this.start = NOTHING;
    const from = this.message ? this.fill(chunk) : 0;
    let end = from;
    while (!this.destroyed && end + HEADER_BYTES <= chunk.byteLength) {
      const bytes = this.lengthOf(chunk.readUInt8(end), chunk.readUInt32BE(end + 1));
      if (bytes === null || end + bytes > chunk.byteLength) break;
      if (!this.isTaken(chunk, end, end + bytes)) return this.refuse();
      end += bytes;
    }
    if (end > from) this.pass(chunk.subarray(from, end));
    if (this.destroyed || end === chunk.byteLength) return;
    this.begin(chunk.subarray(end));
  }

  /** @returns how many bytes of the chunk belong to the message that has begun */
  private fill(chunk: Buffer): number {
    const { message } = this;
    if (!message) return 0;
    const copied = chunk.copy(message, this.filled);
    this.filled += copied;
    if (this.filled < message.byteLength) return copied;
    this.message = null;
    this.held?.end();
    this.held = null;
    if (this.isTaken(message, 0, message.byteLength)) this.pass(message);
    else this.refuse();
    return copied;
  }

  /** @param piece the first part of a message */
  private begin(piece: Buffer): void {
    if (piece.byteLength < HEADER_BYTES) {
      this.start = piece;
      return;
    }
    const bytes = 1 + piece.readUInt32BE(1);
    if (bytes <= FREE_BYTES) return this.hold(piece, bytes);
    if (!this.room) return this.tooLarge(bytes, FREE_BYTES);
    this.isWaiting = true;
    this.socket.pause();
    this.room(bytes).then(
      (permit) => this.enter(permit, piece, bytes),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  private enter(permit: BytesPermit, piece: Buffer, bytes: number): void {
    if (this.destroyed) return permit.release();
    const late = setTimeout(() => {
      const message = `${this.host} did not send a row of ${bytes} bytes within ${ARRIVES_WITHIN_MS} ms`;
      this.destroy(new LayerFailure('timeout', message));
    }, ARRIVES_WITHIN_MS);
    this.held = {
      end: () => {
        clearTimeout(late);
        permit.release();
      },
    };
    this.isWaiting = false;
    this.hold(piece, bytes);
    this.socket.resume();
  }

  private hold(piece: Buffer, bytes: number): void {
    // all of it is written before somebody reads it
    this.message = Buffer.allocUnsafe(bytes);
    this.filled = piece.copy(this.message);
  }

  private pass(messages: Buffer): void {
    if (!this.destroyed && !this.push(messages)) this.socket.pause();
  }

  /** Of the whole message that has this header; null: it is not taken. */
  private lengthOf(code: number, length: number): number | null {
    const isNote = code === ERROR || code === NOTICE;
    if (!KNOWN.has(code) || length < 4 || (!this.isLoggedIn && length > LOGIN_BYTES)) this.refuse();
    else if (length > (isNote ? MAX_NOTE_BYTES : MAX_MESSAGE_BYTES))
      this.tooLarge(length, isNote ? MAX_NOTE_BYTES : MAX_MESSAGE_BYTES);
    else return 1 + length;
    return null;
  }

  /** @param at where a whole message begins */
  private isTaken(bytes: Buffer, at: number, end: number): boolean {
    const code = bytes[at];
    const from = at + HEADER_BYTES;
    if (code === ERROR || code === NOTICE) return isWholeNote(bytes, from, end);
    if (code === ROW) return isWholeRow(bytes, from, end);
    if (code === COLUMNS) return from + 2 <= end && isCount(bytes.readInt16BE(from));
    if (code !== LOGIN) return true;
    // each step once: a proof of the password costs as much as the server wants it to
    const step = from + 4 <= end ? bytes.readInt32BE(from) : -1;
    if (this.isLoggedIn || step < 0 || this.steps.has(step)) return false;
    this.steps.add(step);
    return true;
  }

  private tooLarge(bytes: number, most: number): void {
    const message = `${this.host} announced a message of ${bytes} bytes, and may send ${most} at once`;
    this.destroy(new LayerFailure('output_too_large', message));
  }

  private refuse(): void {
    this.destroy(this.notUnderstood());
  }

  private notUnderstood(cause?: unknown): LayerFailure {
    const message = `what ${this.host} sent is not the protocol of PostgreSQL`;
    return new LayerFailure('connect_failed', message, undefined, { cause });
  }
}

function isCount(columns: number): boolean {
  return columns >= 0 && columns <= MAX_COLUMNS;
}

/** A count, and for each column its length (-1: null) and as many bytes. */
function isWholeRow(bytes: Buffer, from: number, end: number): boolean {
  if (from + 2 > end) return false;
  const columns = bytes.readInt16BE(from);
  if (!isCount(columns)) return false;
  let at = from + 2;
  for (let column = 0; column < columns; column += 1) {
    if (at + 4 > end) return false;
    const length = bytes.readInt32BE(at);
    if (length < -1) return false;
    at += 4 + Math.max(0, length);
  }
  return at === end;
}

/** Fields of one character and a text that ends with 0, and at the end a 0. */
function isWholeNote(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === 0) return at === end - 1;
    at = bytes.indexOf(0, at + 1);
    if (at === -1 || at >= end) return false;
  }
  return false;
}
