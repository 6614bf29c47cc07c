import type { PayloadRef } from '@weft/engine';
import type { LayerPayloads } from '../running/layer-payloads.js';

/** Large outputs of a play that is never stored: they are in the hands of the dry run already, and nobody reads them here. */
export class MemoryPayloads implements LayerPayloads {
  async put(_of: unknown, content: Buffer): Promise<PayloadRef> {
    return { $ref: 'memory', bytes: content.byteLength };
  }

  async get(): Promise<Buffer | null> {
    return null;
  }
}
