import type { PayloadForm, PayloadRef } from '@weft/engine';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { LayerPayloads, LayerUpload, StoredPayload } from '../call/layer-payloads.js';

/** Payloads of one company, in memory, read in pieces of a few bytes. */
export class MemoryPayloads implements LayerPayloads {
  readonly bytes = new Map<string, Buffer>();
  readonly forms = new Map<string, PayloadForm>();
  /** Refs, in the order in which they were opened. */
  readonly opened: string[] = [];

  private puts = 0;

  constructor(private readonly pieceBytes = 1_000) {}

  async put(_of: unknown, content: Buffer, form?: PayloadForm): Promise<PayloadRef> {
    const $ref = `payload-${this.puts}`;
    this.puts += 1;
    if (form) this.forms.set($ref, form);
    this.bytes.set($ref, content);
    return { $ref, bytes: content.byteLength };
  }

  upload(): LayerUpload & { bytes: number } {
    let content = Buffer.alloc(0);
    const upload = {
      bytes: 0,
      write: async (chunks: AsyncIterable<Uint8Array>) => {
        content = await buffer(Readable.from(chunks));
        upload.bytes = content.byteLength;
      },
      finish: async (form: PayloadForm) => {
        return this.put(null, content, form);
      },
      discard: async () => undefined,
    };
    return upload;
  }

  async open(_companyId: string, { $ref }: PayloadRef): Promise<StoredPayload | null> {
    this.opened.push($ref);
    const bytes = this.bytes.get($ref);
    if (!bytes) return null;
    return { form: this.forms.get($ref) ?? null, bytes: bytes.byteLength, content: this.pieces(bytes) };
  }

  async discard(_companyId: string, { $ref }: PayloadRef): Promise<void> {
    this.bytes.delete($ref);
  }

  private async *pieces(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let i = 0; i < bytes.byteLength; i += this.pieceBytes) yield bytes.subarray(i, i + this.pieceBytes);
  }
}
