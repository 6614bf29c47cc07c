/**
 * A connection to one broker, over a guarded socket. The broker may be hostile: its answers have bounds in bytes and in time, and are
 * held only when there is room for them in this process.
 */
import type { BytesPermit, BytesSemaphore } from '@weft/concurrency';
import type { Socket } from 'node:net';
import type { KafkaRequest } from './requests.js';
import { WireFault, WireReader, WireWriter } from './wire.js';

const MB = 1024 * 1024;
/** Of an answer. A batch of records that a broker takes has 1 MB, unless it is configured otherwise. */
export const MOST_ANSWER_BYTES = 16 * MB;
/** Of a larger answer nothing is held before there is room for it. */
const FREE_BYTES = MB / 4;
const ANSWERS_WITHIN_MS = 15_000;
const CLIENT = 'weft';
const LENGTH_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** Memory of this process for large answers. */
export interface AnswerRoom {
  readonly companyId: string;
  readonly bytes: Pick<BytesSemaphore, 'acquire'>;
}

interface Asked {
  readonly id: number;
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (error: Error) => void;
}

export class Broker {
  private nextId = 0;
  private asked: Asked | null = null;
  private head: Buffer = NOTHING;
  private answer: { readonly bytes: Buffer; filled: number } | null = null;
  private permit: BytesPermit | null = null;
  private readonly gone = new AbortController();

  constructor(
    private readonly socket: Socket,
    /** `host:port`. */
    readonly address: string,
    private readonly room: AnswerRoom,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.end(error));
    socket.on('close', () => this.end(new WireFault(`${this.address} has closed the connection`)));
  }

  /**
   * One request at a time. What was read of the answer before is not used any more then: its room is given back.
   *
   * @param waitMs for which the broker may wait itself
   * @throws WireFault, and errors of the socket
   */
  async ask<Answer>(request: KafkaRequest<Answer>, waitMs = 0): Promise<Answer> {
    if (this.asked) throw new TypeError('a broker is asked for one thing at a time');
    this.gone.signal.throwIfAborted();
    this.release();
    const id = this.nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.asked = { id, resolve, reject };
    const late = setTimeout(
      () => this.end(new WireFault(`${this.address} did not answer in time`)),
      waitMs + ANSWERS_WITHIN_MS,
    );
    this.socket.write(framed(request, id));
    try {
      const answer = new WireReader(await promise);
      if (answer.int32() !== id) throw new WireFault(`${this.address} answered something else`);
      if (request.hasTags) answer.skipTags();
      return request.read(answer);
    } catch (error) {
      this.end(error as Error);
      throw error;
    } finally {
      clearTimeout(late);
      this.asked = null;
    }
  }

  close(): void {
    this.end(new WireFault(`the connection to ${this.address} was closed`));
  }

  private end(error: Error): void {
    if (!this.gone.signal.aborted) this.gone.abort(error);
    this.asked?.reject(error);
    this.socket.destroy();
    this.release();
  }

  private release(): void {
    this.permit?.release();
    this.permit = null;
  }

  private receive(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.gone.signal.aborted) {
      const { answer } = this;
      if (answer) {
        const copied = chunk.copy(answer.bytes, answer.filled, at);
        answer.filled += copied;
        at += copied;
        if (answer.filled === answer.bytes.length) this.give(answer.bytes);
      } else {
        const piece = chunk.subarray(at, at + LENGTH_BYTES - this.head.length);
        this.head = Buffer.concat([this.head, piece]);
        at += piece.length;
        if (this.head.length < LENGTH_BYTES) return;
        const bytes = this.head.readInt32BE(0);
        this.head = NOTHING;
        if (bytes > FREE_BYTES && bytes <= MOST_ANSWER_BYTES) return void this.waitForRoom(bytes, chunk.subarray(at));
        this.begin(bytes);
      }
    }
  }

  private begin(bytes: number): void {
    if (this.asked && bytes >= LENGTH_BYTES && bytes <= MOST_ANSWER_BYTES) {
      this.answer = { bytes: Buffer.allocUnsafe(bytes), filled: 0 };
      return;
    }
    this.end(
      new WireFault(`${this.address} sent ${bytes} bytes: nobody asked, or they are more than ${MOST_ANSWER_BYTES}`),
    );
  }

  private give(answer: Buffer): void {
    this.answer = null;
    const { asked } = this;
    this.asked = null;
    asked?.resolve(answer);
  }

  private async waitForRoom(bytes: number, rest: Buffer): Promise<void> {
    this.socket.pause();
    try {
      const permit = await this.room.bytes.acquire(this.room.companyId, bytes, this.gone.signal);
      if (this.gone.signal.aborted) return permit.release();
      this.permit = permit;
      this.begin(bytes);
      this.receive(rest);
      this.socket.resume();
    } catch (error) {
      this.end(error as Error);
    }
  }
}

function framed({ key, version, hasTags, body }: KafkaRequest<unknown>, id: number): Buffer {
  const head = new WireWriter().int16(key).int16(version).int32(id).text(CLIENT);
  if (hasTags) head.uvarint(0);
  const request = head.raw(body).done();
  return new WireWriter().int32(request.length).raw(request).done();
}
