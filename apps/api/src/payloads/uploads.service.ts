import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { CompanyRates } from '@weft/runs';
import { PayloadStore, TenantScope, type UploadedFile } from '@weft/store';
import type { Readable } from 'node:stream';
import { fileOfForm, isForm } from './form-file.js';
import type { UploadView } from './upload.view.js';

/** docs/operator-contract.md §1: an upload; what of a company is kept unused; at once in a process. */
export const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;
const MOST_KEPT = { count: 10_000, bytes: 16 * 1024 * 1024 * 1024 };
const AT_ONCE = { all: 64, ofCompany: 20 };

export interface UploadOrder {
  readonly body: Readable;
  /** Bytes, as the client announces them; null: it does not. */
  readonly announced: number | null;
  readonly contentType: string | undefined;
  readonly filename: string | undefined;
}

/** What is known of a file before it is stored; `announced`: its bytes, as far as they are known. */
interface FileFacts {
  readonly contentType: string | undefined;
  readonly filename: string | undefined;
  readonly announced: number;
}

const BYTES = 'application/octet-stream';
/** As in the query. */
const MOST_FILENAME = 255;
const CONTENT_TYPE = /^[\x20-\x7e]{1,255}$/;

/** Takes what clients send as files. A body goes from the socket to the payload store a piece at a time. */
@Injectable()
export class UploadsService {
  private readonly running = new Map<string, number>();
  private all = 0;

  constructor(
    private readonly payloads: PayloadStore,
    private readonly rates: CompanyRates,
  ) {}

  /** @throws WeftError `body_too_large`, `too_many_uploads`, `uploads_full`; `invalid_body` for a form that is not one file */
  async take(caller: Principal, order: UploadOrder): Promise<UploadView> {
    const { announced } = order;
    if (announced !== null && announced > MAX_UPLOAD_BYTES) throw tooLarge();
    const leave = this.enter(caller.companyId);
    try {
      const { bytes, ...label } = await fileOf(order);
      return await this.keep(caller, bytes, { ...label, announced: announced ?? 0 });
    } finally {
      leave();
    }
  }

  /** The same for bytes that are there: files of a delivery. @throws WeftError `uploads_full` */
  async keep(
    { companyId, userId }: Pick<Principal, 'companyId' | 'userId'>,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { contentType, filename, announced }: FileFacts,
  ): Promise<UploadView> {
    const scope = new TenantScope(companyId);
    await this.assertRoom(scope, announced);
    const label = {
      contentType: contentType !== undefined && CONTENT_TYPE.test(contentType) ? contentType : BYTES,
      filename: filename ?? null,
      by: userId,
    };
    return toView(await this.payloads.userFiles.take(scope, bytes as AsyncIterable<Uint8Array>, label));
  }

  private enter(companyId: string): () => void {
    const own = this.running.get(companyId) ?? 0;
    if (own >= AT_ONCE.ofCompany || this.all >= AT_ONCE.all) {
      const most = `${AT_ONCE.ofCompany} uploads of a company are taken at once`;
      throw new WeftError('too_many_uploads', `${most}: try again when one has ended.`, { retryAfterSeconds: 1 });
    }
    this.all += 1;
    this.running.set(companyId, own + 1);
    return () => {
      this.all -= 1;
      const left = (this.running.get(companyId) ?? 1) - 1;
      if (left === 0) this.running.delete(companyId);
      else this.running.set(companyId, left);
    };
  }

  private async assertRoom(scope: TenantScope, more: number): Promise<void> {
    this.rates.assertStorage(scope.companyId, more);
    const { count, bytes } = await this.payloads.userFiles.uploadsOf(scope, MOST_KEPT.count);
    if (count < MOST_KEPT.count && bytes + more <= MOST_KEPT.bytes) return;
    throw new WeftError(
      'uploads_full',
      `The company has ${count} uploads with ${bytes} bytes that have not expired; ${MOST_KEPT.count} and ` +
        `${MOST_KEPT.bytes} bytes are allowed. Each expires a day after its last use.`,
    );
  }
}

/** The body as it is, or the file of a form: its name is that of the query, if there is one. */
async function fileOf({ body, contentType, filename }: UploadOrder) {
  const bytes = bounded(body);
  if (contentType === undefined || !isForm(contentType)) return { bytes, contentType, filename };
  const file = await fileOfForm(bytes, contentType);
  return { ...file, filename: filename ?? file.filename?.slice(0, MOST_FILENAME) };
}

/** Ends without closing the connection, on which the refusal is sent. */
async function* bounded(body: Readable): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_UPLOAD_BYTES) throw tooLarge();
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof WeftError) throw cause;
    throw new WeftError('request_timeout', 'The upload did not arrive to its end.', { cause });
  }
}

function tooLarge(): WeftError {
  return new WeftError(
    'body_too_large',
    `An upload may have ${MAX_UPLOAD_BYTES} bytes at most: send less, or in several files (docs/companies.md says what makes the export of a company smaller).`,
  );
}

function toView({ expiresAt, ...file }: UploadedFile): UploadView {
  return { ...file, expires_at: expiresAt.toISOString() };
}
