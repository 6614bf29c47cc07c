import type { PayloadRef } from '@weft/engine';
import type { LayerPayloads, LayerUpload, StoredPayload } from '../running/layer-payloads.js';

/** Large outputs of a play that is never stored: the dry run already has them, and nobody reads them here. */
export class MemoryPayloads implements LayerPayloads {
  async put(_of: unknown, content: Buffer): Promise<PayloadRef> {
    return { $ref: 'memory', bytes: content.byteLength };
  }

  /** Outputs that a service would send in pieces come from fixtures, which are in memory. */
  upload(): LayerUpload {
    throw new Error('a dry run puts nothing away');
  }

  async open(): Promise<StoredPayload | null> {
    return null;
  }

  async discard(): Promise<void> {
    // nothing was stored
  }
}
