import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { codingsOf, notDecoded, tooLarge } from './decode-body.js';
import { EgressError } from './egress-client.js';

/** Bytes that wait to be read before the server is asked to wait. */
const HIGH_WATER_BYTES = 256 * 1024;

export interface BodyFlowOptions {
  readonly host: string;
  /** As the answer names it. */
  readonly encoding: string | undefined;
  /** Decompressed. */
  readonly maxBytes: number;
  /** What has come already. */
  readonly begun: readonly Buffer[];
  /** The reader wants more. */
  readonly onWanted: () => void;
  /** The reader is done with it, whether that was all or not. */
  readonly onClosed: () => void;
}

/** A body on its way from the socket to its reader; decompressed here, where its bytes are counted. */
export class BodyFlow {
  private readonly source: Readable;

  constructor(private readonly options: BodyFlowOptions) {
    this.source = new Readable({ highWaterMark: HIGH_WATER_BYTES, read: options.onWanted });
    this.source.on('close', options.onClosed);
    // who reads is told; nobody may be reading yet
    this.source.on('error', () => undefined);
    for (const chunk of options.begun) this.source.push(chunk);
  }

  /** False: enough for now, until `onWanted`. */
  push(chunk: Buffer): boolean {
    return this.source.destroyed || this.source.push(chunk);
  }

  end(): void {
    if (!this.source.destroyed) this.source.push(null);
  }

  /** @param error what the reader is told */
  fail(error: EgressError): void {
    this.source.destroy(error);
  }

  async *read(): AsyncGenerator<Buffer> {
    const { host, maxBytes } = this.options;
    let bytes = 0;
    try {
      for await (const chunk of this.decoded() as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw tooLarge(host, maxBytes);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof EgressError ? error : notDecoded(host, error);
    } finally {
      this.source.destroy();
    }
  }

  private decoded(): Readable {
    const { encoding, host, begun } = this.options;
    const decoders: Transform[] = [];
    for (const coding of codingsOf(encoding, host).reverse()) {
      const isOutermost = decoders.length === 0;
      const decoder = decoderOf(coding, isOutermost ? begun[0]?.[0] : undefined);
      if (!decoder) break;
      decoders.push(decoder);
    }
    const last = decoders.at(-1);
    if (!last) return this.source;
    // what fails in between fails the last of them, which is being read
    pipeline([this.source, ...decoders], () => undefined);
    return last;
  }
}

/** Null: a coding that nobody knows here; what it covers is left as it came. */
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
