import type { FileSource } from './layer-files.js';
import type { PayloadForm, PayloadRef } from '@weft/engine';

/** The play that an output belongs to. */
export interface PayloadOf {
  readonly companyId: string;
  readonly flowId: string;
  readonly playId: string;
}

/** Content that is being stored; no play refers to it before `finish`. */
export interface LayerUpload {
  /** Written so far. */
  readonly bytes: number;
  /** Stores all of the content, no faster than the store takes it. Rejects with the error of the content. */
  write(content: AsyncIterable<Uint8Array>): Promise<void>;
  finish(form: PayloadForm): Promise<PayloadRef>;
  discard(): Promise<void>;
}

/** A stored payload: JSON text, or content that `form` makes an output of. */
export interface StoredPayload {
  readonly form: PayloadForm | null;
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

/** Stores outputs and args that are too large for a play document. */
export interface LayerPayloads {
  /** Missing where no files are sent or received. */
  readonly files?: FileSource;
  /** JSON text in UTF-8, or what `form` makes an output of. Resolves when the bytes are durable. */
  put(of: PayloadOf, content: Buffer, form?: PayloadForm): Promise<PayloadRef>;
  /** For an output that arrives in pieces. */
  upload(of: PayloadOf): LayerUpload;
  /** Null when the company has no such payload (any more). */
  open(companyId: string, ref: PayloadRef): Promise<StoredPayload | null>;
  /** For a payload that no play refers to. */
  discard(companyId: string, ref: PayloadRef): Promise<void>;
}
