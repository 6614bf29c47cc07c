import { randomBytes } from 'node:crypto';
import mongoose, { type mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import { PAYLOAD_CHUNK_BYTES, PAYLOAD_CHUNKS, PAYLOAD_FILES, type PayloadFile } from './payload.schema.js';

export type StoredFile = PayloadFile & { readonly _id: mongo.ObjectId };

interface StoredChunk {
  readonly files_id: mongo.ObjectId;
  readonly n: number;
  readonly data: mongo.Binary | Uint8Array;
}

/**
 * Files and chunks in GridFS's format. Every write can be repeated, so that a caller that lost an answer repeats the
 * request.
 */
export class PayloadFiles {
  constructor(private readonly mongo: Mongo) {}

  get files(): mongo.Collection<StoredFile> {
    return this.mongo.collection<StoredFile>(PAYLOAD_FILES);
  }

  async insert(id: mongo.ObjectId, file: Pick<PayloadFile, 'length' | 'metadata'>): Promise<void> {
    const stored: PayloadFile = {
      ...file,
      chunkSize: PAYLOAD_CHUNK_BYTES,
      uploadDate: new Date(this.mongo.serverNow()),
      filename: file.metadata.madeFor ?? file.metadata.playIds[0] ?? '',
    };
    await this.files.updateOne(
      { _id: id },
      { $setOnInsert: stored },
      { upsert: true, writeConcern: MAJORITY, ignoreUndefined: true },
    );
  }

  async putChunk(id: mongo.ObjectId, n: number, data: Uint8Array): Promise<void> {
    await this.chunks.replaceOne(
      { files_id: id, n },
      { files_id: id, n, data },
      { upsert: true, writeConcern: MAJORITY },
    );
  }

  /** Null: the payload does not exist (any more). */
  async chunk(id: mongo.ObjectId, n: number): Promise<Buffer | null> {
    const found = await this.chunks.findOne({ files_id: id, n }, { projection: { data: 1 } });
    return found && bytesOf(found.data);
  }

  /** Files last: after a crash between the two, they still say what is left to remove. */
  async remove(ids: readonly mongo.ObjectId[]): Promise<void> {
    if (ids.length === 0) return;
    await this.chunks.deleteMany({ files_id: { $in: [...ids] } }, { writeConcern: MAJORITY });
    await this.files.deleteMany({ _id: { $in: [...ids] } }, { writeConcern: MAJORITY });
  }

  private get chunks(): mongo.Collection<StoredChunk> {
    return this.mongo.collection<StoredChunk>(PAYLOAD_CHUNKS);
  }
}

export function newFileId(): mongo.ObjectId {
  return new mongoose.mongo.ObjectId();
}

/** Of a file: who may refer to files of the company must not guess another one's. */
export function secretFileId(): mongo.ObjectId {
  return mongoose.mongo.ObjectId.createFromHexString(randomBytes(12).toString('hex'));
}

/** Null: not the id of a payload. */
export function fileId(hex: string): mongo.ObjectId | null {
  return /^[0-9a-f]{24}$/.test(hex) ? mongoose.mongo.ObjectId.createFromHexString(hex) : null;
}

function bytesOf(data: mongo.Binary | Uint8Array): Buffer {
  const bytes = data instanceof Uint8Array ? data : data.buffer;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
