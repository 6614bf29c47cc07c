/**
 * Stands between a server and what reads its messages. The server may be hostile: here nothing is held beyond bounds, and the reader
 * gets whole messages only, each in memory of its size, and none that its kind of guard does not take.
 */
import type { BytesPermit } from '@weft/concurrency';
import { Duplex } from 'node:stream';
import { LayerFailure } from '../layer-module.js';

const MB = 1024 * 1024;
/** Of a larger message nothing is held before there is room for it. */
export const FREE_BYTES = MB / 4;
/** How long a message may arrive for which there is room. */
const ARRIVES_WITHIN_MS = 60_000;
/** Nobody sends more before a session begins. */
export const LOGIN_BYTES = MB / 4;
const NOTHING = Buffer.alloc(0);

/** Asks for room for a message; rejects when nobody wants it any more. */
export type RoomForMessage = (bytes: number) => Promise<BytesPermit>;

type Done = (error?: Error | null) => void;

export abstract class MessageGuard extends Duplex {
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
  protected isLoggedIn = false;
  private room: RoomForMessage | null = null;

  protected constructor(
    private socket: Duplex,
    protected readonly host: string,
    /** The protocol, and how long the header of its messages is. */
    private readonly of: { readonly name: string; readonly headerBytes: number },
  ) {
    super();
    this.attach();
  }

  /** Of the whole message whose header begins there; null: it was refused. */
  protected abstract sizeAt(bytes: Buffer, at: number): number | null;

  /** Whether the reader gets a whole message. @param at where its header begins */
  protected abstract isTaken(bytes: Buffer, at: number, end: number): boolean;

  /** Since the last limit was set. */
  get receivedBytes(): number {
    return this.received;
  }

  /** Called after the login, with how many bytes the reader may receive from now on. @param room without it, no message is large */
  limit(bytes: number, room: RoomForMessage | null): void {
    this.isLoggedIn = true;
    this.received = 0;
    this.most = bytes;
    this.room = room;
  }

  /**
   * Goes on over TLS.
   *
   * @param upgrade of the socket, from which nobody reads meanwhile
   * @throws LayerFailure `connect_failed` where something has arrived that TLS does not protect, and those of `upgrade`
   */
  protected async upgrade<Raw extends Duplex>(upgrade: (raw: Raw) => Promise<Duplex>): Promise<void> {
    for (const name of ['data', 'end', 'error', 'close']) this.socket.removeAllListeners(name);
    const raw = this.socket;
    raw.on('error', () => raw.destroy());
    raw.pause();
    // the rest of the piece that is being read is seen only then
    await Promise.resolve();
    if (this.start.byteLength > 0 || this.message || raw.readableLength > 0) throw this.notUnderstood();
    this.socket = await upgrade(raw as Raw);
    if (this.destroyed) this.socket.destroy();
    else this.attach();
  }

  /** A message that the reader cannot read ends this connection, and not the process. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...args);
    try {
      return super.emit(event, ...args);
    } catch (error) {
      this.destroy(error instanceof LayerFailure ? error : this.notUnderstood(error));
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

  protected tooLarge(bytes: number, most: number): null {
    const message = `${this.host} announced a message of ${bytes} bytes, and may send ${most} at once`;
    this.destroy(new LayerFailure('output_too_large', message));
    return null;
  }

  protected refuse(): null {
    this.destroy(this.notUnderstood());
    return null;
  }

  protected notUnderstood(cause?: unknown): LayerFailure {
    const message = `what ${this.host} sent is not the protocol of ${this.of.name}`;
    return new LayerFailure('connect_failed', message, undefined, { cause });
  }

  private attach(): void {
    const { socket } = this;
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error: Error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  private receive(chunk: Buffer): void {
    this.received += chunk.byteLength;
    if (this.received > this.most) {
      if (!this.isLoggedIn) return void this.refuse();
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
    while (!this.destroyed && end + this.of.headerBytes <= chunk.byteLength) {
      const bytes = this.sizeAt(chunk, end);
      if (bytes === null || end + bytes > chunk.byteLength) break;
      if (!this.isTaken(chunk, end, end + bytes)) return void this.refuse();
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
    if (piece.byteLength < this.of.headerBytes) {
      this.start = piece;
      return;
    }
    const bytes = this.sizeAt(piece, 0);
    if (bytes === null) return;
    if (bytes <= FREE_BYTES) return this.hold(piece, bytes);
    if (!this.room) return void this.tooLarge(bytes, FREE_BYTES);
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
}
