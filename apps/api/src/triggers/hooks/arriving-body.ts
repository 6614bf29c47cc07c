import { Injectable } from '@nestjs/common';
import { BytesSemaphore, type BytesPermit } from '@weft/concurrency';
import { WeftError } from '@weft/kernel';
import { HOOK_BYTES } from '@weft/shapes';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type InputType, type ZlibOptions } from 'node:zlib';
import type { Readable } from 'node:stream';

/** The bytes of a delivery that have not been read. */
export interface ArrivingBytes {
  readonly stream: Readable;
  /** Content-Length; null: the sender does not say it. */
  readonly announced: number | null;
  /** Content-Encoding; null: none. */
  readonly coding: string | null;
}

/** To be released when the delivery has been answered. */
export interface ArrivedBytes {
  readonly bytes: Buffer;
  release(): void;
}

/** Of all bodies over a megabyte that a process holds at once; one company's have a quarter of it. */
const ROOM_BYTES = 128 * 1024 * 1024;
const ROOM_WITHIN_MS = 10_000;

type Decode = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
const CODINGS: Readonly<Record<string, Decode>> = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<InputType, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
};
/** RFC 9110 §15.5.16: what a sender may use instead. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/**
 * Reads bodies of strangers. Those of up to a megabyte are held as any request's; for a larger one there must be room first, of which
 * a company has a share, so that nobody fills the memory of a process by sending.
 */
@Injectable()
export class ArrivingBodies {
  private readonly room = new BytesSemaphore(ROOM_BYTES);

  /**
   * The bytes as they came.
   *
   * @throws WeftError `body_too_large`, `too_many_deliveries` when there is no room, `request_timeout`
   */
  async read(
    { stream, announced, coding }: ArrivingBytes,
    maxBytes: number,
    companyId: string,
    gone: AbortSignal,
  ): Promise<ArrivedBytes> {
    if (announced !== null && announced > maxBytes) throw tooLarge(maxBytes);
    // what it is decoded to is held besides
    const needed = (announced ?? maxBytes) + (coding === null && announced !== null ? 0 : maxBytes);
    let permit: BytesPermit | null = null;
    const enter = async () => (permit ??= await this.acquire(companyId, needed, gone));
    const release = () => permit?.release();
    try {
      if ((announced ?? 0) > HOOK_BYTES || (coding !== null && maxBytes > HOOK_BYTES)) await enter();
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        chunks.push(chunk);
        if (bytes > HOOK_BYTES) await enter();
      }
      return { bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), release };
    } catch (cause) {
      release();
      if (cause instanceof WeftError) throw cause;
      throw new WeftError('request_timeout', 'The delivery did not arrive to its end.', { cause });
    }
  }

  private async acquire(companyId: string, bytes: number, gone: AbortSignal): Promise<BytesPermit> {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(ROOM_WITHIN_MS)]);
    return this.room.acquire(companyId, bytes, signal).catch((cause: unknown) => {
      const says = 'Too many large deliveries arrive at once. Send this one again later.';
      throw new WeftError('too_many_deliveries', says, { retryAfterSeconds: ROOM_WITHIN_MS / 1_000, cause });
    });
  }
}

/**
 * Without its coding.
 *
 * @throws WeftError `unsupported_media_type`, `body_too_large`, `invalid_body`
 */
export async function decoded(bytes: Buffer, coding: string | null, maxBytes: number): Promise<Buffer> {
  if (coding === null || bytes.length === 0) return bytes;
  const decode = CODINGS[coding];
  if (!decode)
    throw new WeftError('unsupported_media_type', `The Content-Encoding must be one of ${ACCEPTED_CODINGS}.`);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new WeftError('invalid_body', `The body is not what its Content-Encoding ${coding} says.`, { cause });
  }
}

/** Null: it is sent as it is. */
export function codingOf(header: unknown): string | null {
  const coding = typeof header === 'string' ? header.trim().toLowerCase() : '';
  return coding === '' || coding === 'identity' ? null : coding;
}

function tooLarge(maxBytes: number): WeftError {
  return new WeftError('body_too_large', `A delivery to this trigger may have ${maxBytes} bytes at most.`);
}
