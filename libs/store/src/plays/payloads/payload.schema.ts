import type { PayloadForm } from '@weft/engine';
import { Schema } from 'mongoose';

/** GridFS bucket: `payloads.files` and `payloads.chunks`. */
const PAYLOAD_BUCKET = 'payloads';
export const PAYLOAD_FILES = `${PAYLOAD_BUCKET}.files`;
export const PAYLOAD_CHUNKS = `${PAYLOAD_BUCKET}.chunks`;

/** Bytes of a chunk, the default of GridFS. */
export const PAYLOAD_CHUNK_BYTES = 255 * 1024;

/** Where `madeFor` names no play: an upload, which belongs to none until plays refer to it. */
export const UPLOADED = 'upload';

/** What a payload is that users have as a file. */
export interface FileFacts {
  readonly contentType: string;
  /** As its sender named it. */
  readonly filename: string | null;
  /** Hexadecimal; empty while it is being stored. */
  readonly sha256: string;
  /** User id of who uploaded it; null: a layer stored it. */
  readonly by: string | null;
}

/** Which play a payload is made for. */
export interface PayloadOwner {
  readonly playId: string;
  readonly flowId: string;
}

export interface PayloadMetadata {
  readonly company_id: string;
  readonly flowId: string;
  /**
   * The plays that refer to it: the one that it was made for, and retries that took it over. `used`: there are uses of the file
   * (`file_uses`). Empty and without `madeFor`: it may be deleted.
   */
  readonly playIds: readonly string[];
  /** The play that will refer to it and perhaps does not yet. Removed when it does. */
  readonly madeFor?: string;
  /**
   * When a play that did not exist yet was added to the list, by MongoDB's clock. Removed once it was checked whether the
   * play was inserted.
   */
  readonly sharedAt?: Date;
  /** When a use of the file was noted last, by MongoDB's clock. */
  readonly usedAt?: Date;
  /** It has expired, and is being deleted: nobody may use it any more. */
  readonly going?: true;
  /** Its chunks are still being written; `length` is not known. */
  readonly uploading?: true;
  /** Missing: the content is the JSON text of what it stands for. */
  readonly form?: PayloadForm;
  /** Set for files: only they can be referred to from args and outputs. Their ids cannot be guessed. */
  readonly file?: FileFacts;
  /** Of an upload: from then on it is kept only while plays refer to it. By MongoDB's clock. */
  readonly expiresAt?: Date;
}

export interface PayloadFile {
  /** Bytes. */
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
  readonly metadata: PayloadMetadata;
}

export const payloadFileSchema = new Schema<PayloadFile>(
  {
    length: { type: Number, required: true },
    metadata: { type: Schema.Types.Mixed, required: true },
  },
  { collection: PAYLOAD_FILES, versionKey: false },
);

// All payloads of one play, to let go of them with the play; those that no play refers to.
payloadFileSchema.index({ 'metadata.company_id': 1, 'metadata.playIds': 1 });

// What was shared with plays that may never have been inserted: hardly ever many.
payloadFileSchema.index(
  { 'metadata.company_id': 1, 'metadata.sharedAt': 1 },
  { name: 'shared', partialFilterExpression: { 'metadata.sharedAt': { $exists: true } } },
);

// Uploads of a company, to count them and their bytes before the next one.
payloadFileSchema.index(
  { 'metadata.company_id': 1, 'metadata.expiresAt': 1, length: 1 },
  { name: 'uploads', partialFilterExpression: { 'metadata.expiresAt': { $exists: true } } },
);

export const payloadChunkSchema = new Schema(
  {
    files_id: { type: Schema.Types.ObjectId, required: true },
    n: { type: Number, required: true },
    data: { type: Buffer, required: true },
  },
  { collection: PAYLOAD_CHUNKS, versionKey: false },
);

// GridFS: the chunks of one file in order.
payloadChunkSchema.index({ files_id: 1, n: 1 }, { unique: true });
