import { pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { codingsOf, notDecoded, tooLarge } from './decode-body.js';
import { EgressError } from './egress-client.js';

/** Bytes that may wait for the reader before the socket is paused. */
const HIGH_WATER_BYTES = 256 * 1024;

export interface BodyStreamOptions {
  readonly host: string;
  /** The `content-encoding` of the response. */
  readonly encoding: string | undefined;
  /** Decompressed. */
  readonly maxBytes: number;
  /** What has arrived already. */
  readonly received: readonly Buffer[];
  /** Called when the reader wants more. */
  readonly onWanted: () => void;
  /** Called when no more is taken from the socket: everything has arrived, or the reader has left off. */
  readonly onClosed: () => void;
  /** Called when the reader has finished, also before the end. */
  readonly onRead: () => void;
}

/** A body on its way from the socket to its reader. It is decompressed here, and its bytes are counted. */
export class BodyStream {
  private readonly source: Readable;
  /** What the reader reads: the source, or the last decoder, which may go on when everything has arrived. */
  private reading: Readable;
  private failure: EgressError | null = null;

  constructor(private readonly options: BodyStreamOptions) {
    this.source = new Readable({ highWaterMark: HIGH_WATER_BYTES, read: options.onWanted });
    this.reading = this.source;
    this.source.on('close', options.onClosed);
    // the reader gets the error; but nobody may be reading yet
    this.source.on('error', () => undefined);
    for (const chunk of options.received) this.source.push(chunk);
  }

  /** False: no more until `onWanted`. */
  push(chunk: Buffer): boolean {
    return this.source.destroyed || this.source.push(chunk);
  }

  end(): void {
    if (!this.source.destroyed) this.source.push(null);
  }

  /** @param error what the reader's iteration throws */
  fail(error: EgressError): void {
    this.failure = error;
    this.source.destroy(error);
    this.reading.destroy(error);
  }

  async *read(): AsyncGenerator<Buffer> {
    const { host, maxBytes, onRead } = this.options;
    let bytes = 0;
    try {
      if (this.failure) throw this.failure;
      for await (const chunk of this.decoded() as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw tooLarge(host, maxBytes);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof EgressError ? error : notDecoded(host, error);
    } finally {
      this.source.destroy();
      onRead();
    }
  }

  private decoded(): Readable {
    const { encoding, host, maxBytes, received } = this.options;
    const decoders: Transform[] = [];
    for (const coding of codingsOf(encoding, host).reverse()) {
      const isOutermost = decoders.length === 0;
      const decoder = decoderOf(coding, isOutermost ? received[0]?.[0] : undefined);
      if (!decoder) break;
      // each result has the limit: one of many bytes may become one of none
      decoders.push(decoder, limitedTo(maxBytes, host));
    }
    const last = decoders.at(-1);
    if (!last) return this.source;
    this.reading = last;
    last.on('error', () => undefined); // the reader gets it
    // an error in between destroys the last stream, which is being read
    pipeline([this.source, ...decoders], () => undefined);
    return last;
  }
}

function limitedTo(maxBytes: number, host: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) done(tooLarge(host, maxBytes));
      else done(null, chunk);
    },
  });
}

/** Null for an unknown coding: the body is left as it came. */
function decoderOf(coding: string, firstByte: number | undefined): Transform | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return firstByte === undefined || (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return null;
  }
}
