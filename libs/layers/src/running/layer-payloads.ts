import type { PayloadForm, PayloadRef } from '@weft/engine';

/** Whose output it is. */
export interface PayloadOf {
  readonly companyId: string;
  readonly flowId: string;
  readonly playId: string;
}

/** Content that is being put away; no play refers to it before `finish`. */
export interface LayerUpload {
  /** So far. */
  readonly bytes: number;
  /** Takes all of it, no faster than it is stored. Rejects with what the content rejects with. */
  write(content: AsyncIterable<Uint8Array>): Promise<void>;
  finish(form: PayloadForm): Promise<PayloadRef>;
  discard(): Promise<void>;
}

/** What lies in the payload store: JSON text, or content that `form` makes an output of. */
export interface StoredPayload {
  readonly form: PayloadForm | null;
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

/** Where outputs and args lie that are too large for a play document. */
export interface LayerPayloads {
  /** JSON text in UTF-8. Resolves when the bytes are durable. */
  put(of: PayloadOf, content: Buffer): Promise<PayloadRef>;
  /** For an output that comes in pieces. */
  upload(of: PayloadOf): LayerUpload;
  /** Null when the company has no such payload (any more). */
  open(companyId: string, ref: PayloadRef): Promise<StoredPayload | null>;
  /** Of a payload that no play refers to. */
  discard(companyId: string, ref: PayloadRef): Promise<void>;
}
