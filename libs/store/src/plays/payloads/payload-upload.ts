import type { PayloadForm, PayloadRef } from '@weft/engine';
import type { mongo } from 'mongoose';
import { MAJORITY } from '../../driver/mongo.js';
import { newFileId, type PayloadFiles } from './payload-files.js';
import { PAYLOAD_CHUNK_BYTES, type FileFacts, type PayloadMetadata } from './payload.schema.js';

/** Repeats a step of an upload where that may help. */
export type Retry = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Content on its way into the store, a chunk at a time: its source is not asked for more than is written. Until `finish` no play
 * refers to it, and what a crash leaves of it is swept.
 */
export class PayloadUpload {
  private readonly playId: string;
  /** Bytes so far. */
  bytes = 0;

  constructor(
    private readonly files: PayloadFiles,
    private readonly metadata: PayloadMetadata & { readonly madeFor: string },
    private readonly retry: Retry,
    private readonly onWritten: (bytes: number) => void,
    private readonly id: mongo.ObjectId = newFileId(),
  ) {
    this.playId = metadata.madeFor;
  }

  /** Takes all of it; on an error of the source nothing stays. */
  async write(content: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await this.retry(() => this.files.insert(this.id, { length: 0, metadata: this.metadata }));
      let n = 0;
      for await (const chunk of inChunks(content)) {
        await this.retry(() => this.files.putChunk(this.id, n, chunk));
        n += 1;
        this.bytes += chunk.byteLength;
        this.onWritten(chunk.byteLength);
      }
    } catch (error) {
      await this.discard().catch(() => undefined);
      throw error;
    }
  }

  /** From now on the play that it was made for refers to it. */
  finish(form: PayloadForm): Promise<PayloadRef> {
    return this.end({ 'metadata.playIds': [this.playId], 'metadata.form': form }, { 'metadata.madeFor': true });
  }

  /**
   * The same for a file.
   *
   * @param expiresAt of an upload, to which no play refers yet
   */
  finishFile(file: FileFacts, expiresAt?: Date): Promise<PayloadRef> {
    if (expiresAt) return this.end({ 'metadata.file': file, 'metadata.expiresAt': expiresAt });
    return this.end({ 'metadata.playIds': [this.playId], 'metadata.file': file }, { 'metadata.madeFor': true });
  }

  private async end(
    now: Readonly<Record<string, unknown>>,
    left: Readonly<Record<string, true>> = {},
  ): Promise<PayloadRef> {
    const update = { $set: { length: this.bytes, ...now }, $unset: { ...left, 'metadata.uploading': true } };
    const { matchedCount } = await this.retry(() =>
      this.files.files.updateOne({ _id: this.id }, update as mongo.UpdateFilter<mongo.Document>, {
        writeConcern: MAJORITY,
      }),
    );
    if (matchedCount === 0) throw new Error(`the payload ${this.id.toHexString()} was swept while it was written`);
    return { $ref: this.id.toHexString(), bytes: this.bytes };
  }

  async discard(): Promise<void> {
    await this.files.remove([this.id]);
  }
}

/**
 * The same bytes in pieces of one size. A piece is the caller's until it asks for the next one, which is put in the same memory: what is
 * allocated outside the heap makes V8 collect all of it, and everybody waits meanwhile.
 */
async function* inChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(PAYLOAD_CHUNK_BYTES);
  let filled = 0;
  for await (const part of content) {
    for (let from = 0; from < part.byteLength;) {
      const taken = Math.min(part.byteLength - from, PAYLOAD_CHUNK_BYTES - filled);
      chunk.set(part.subarray(from, from + taken), filled);
      filled += taken;
      from += taken;
      if (filled < PAYLOAD_CHUNK_BYTES) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
