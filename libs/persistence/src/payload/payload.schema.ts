import { Schema } from 'mongoose';

/** GridFS bucket: `payloads.files` and `payloads.chunks`. */
export const PAYLOAD_BUCKET = 'payloads';
export const PAYLOAD_FILES = `${PAYLOAD_BUCKET}.files`;
export const PAYLOAD_CHUNKS = `${PAYLOAD_BUCKET}.chunks`;

/** Which play a stored output is made for. */
export interface PayloadOwner {
  readonly playId: string;
  readonly flowId: string;
}

export interface PayloadMetadata {
  readonly company_id: string;
  readonly flowId: string;
  /** The plays that refer to it: the one whose layer made it, and retries that took its result over. Empty: it may go. */
  readonly playIds: readonly string[];
}

export const payloadFileSchema = new Schema(
  {
    length: { type: Number, required: true },
    metadata: { type: Schema.Types.Mixed, required: true },
  },
  { collection: PAYLOAD_FILES, versionKey: false },
);

// All outputs of one play, to let go of them with the play; those that no play refers to any more.
payloadFileSchema.index({ 'metadata.company_id': 1, 'metadata.playIds': 1 });

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
