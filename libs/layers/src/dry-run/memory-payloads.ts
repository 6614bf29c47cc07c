import type { PayloadRef } from '@weft/engine';
import { LayerFailure } from '../layer-module.js';
import type { LayerPayloads, LayerUpload, StoredPayload } from '../call/layer-payloads.js';

export interface MemoryPayloadsOptions {
  /** Opens what was stored before the rehearsal; default: nothing was. */
  readonly open?: LayerPayloads['open'];
  /** Bytes that the large outputs of the rehearsal have together; default: any number. */
  readonly maxBytes?: number;
}

/** Large outputs of a play that is never stored: the rehearsal already has them, and nobody reads them here. */
export class MemoryPayloads implements LayerPayloads {
  private leftBytes: number;

  constructor(private readonly options: MemoryPayloadsOptions = {}) {
    this.leftBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** @throws LayerFailure `output_too_large` */
  async put(_of: unknown, content: Buffer): Promise<PayloadRef> {
    this.leftBytes -= content.byteLength;
    if (this.leftBytes < 0) throw new LayerFailure('output_too_large', 'The outputs of the rehearsal are too large.');
    return { $ref: 'memory', bytes: content.byteLength };
  }

  /** Outputs that a service would send in pieces come from fixtures, which are in memory. */
  upload(): LayerUpload {
    throw new Error('a dry run puts nothing away');
  }

  async open(companyId: string, ref: PayloadRef): Promise<StoredPayload | null> {
    return this.options.open?.(companyId, ref) ?? null;
  }

  async discard(): Promise<void> {
    // nothing was stored
  }
}
