import type { PayloadRef } from '@weft/engine';

/** Whose output it is. */
export interface PayloadOf {
  readonly companyId: string;
  readonly flowId: string;
  readonly playId: string;
}

/** Where outputs lie that are too large for a play document: JSON text in UTF-8. */
export interface LayerPayloads {
  /** Resolves when the bytes are durable. */
  put(of: PayloadOf, content: Buffer): Promise<PayloadRef>;
  /** Null when the company has no such payload (any more). */
  get(companyId: string, ref: PayloadRef): Promise<Buffer | null>;
}
