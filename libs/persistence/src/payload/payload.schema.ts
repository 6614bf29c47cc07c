import { Schema } from 'mongoose';

/** GridFS bucket: `payloads.files` and `payloads.chunks`. */
export const PAYLOAD_BUCKET = 'payloads';
export const PAYLOAD_FILES = `${PAYLOAD_BUCKET}.files`;
export const PAYLOAD_CHUNKS = `${PAYLOAD_BUCKET}.chunks`;

/** Which play a stored output belongs to; it goes when the play goes. */
export interface PayloadOwner {
  readonly playId: string;
  readonly flowId: string;
}

export interface PayloadMetadata extends PayloadOwner {
  readonly company_id: string;
}

export const payloadFileSchema = new Schema(
  {
    length: { type: Number, required: true },
    metadata: { type: Schema.Types.Mixed, required: true },
  },
  { collection: PAYLOAD_FILES, versionKey: false },
);

// All outputs of one play: reading by reference in a company, and deletion with the play.
payloadFileSchema.index({ 'metadata.company_id': 1, 'metadata.playId': 1 });

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
