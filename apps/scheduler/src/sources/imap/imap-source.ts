import { Injectable } from '@nestjs/common';
import type { TriggerDocument } from '@weft/records';
import { READ_MESSAGE } from '@weft/runs';
import { PayloadStore, TenantScope } from '@weft/store';
import { SourceEgress } from '../source-egress.js';
import type { Source, SourceAsk, SourceKind } from '../source.js';
import { FolderSource, readCursor, SHARD, writeCursor, type InFolder } from './folder-source.js';
import { inFolder } from './mail-folder.js';
import { placeOf } from './mail-place.js';
import type { KeepAttachment } from './read-mail.js';

const DEFAULT_SECONDS = 300;
const TIMEOUT_MS = 120_000;
const MAX_FILENAME = 255;
const CONTENT_TYPE = /^[\x20-\x7e]{1,255}$/;
const BYTES = 'application/octet-stream';

/** A folder of a mail server: the type `imap`. */
@Injectable()
export class ImapSource implements SourceKind {
  readonly read = READ_MESSAGE.imap;

  constructor(
    private readonly egress: SourceEgress,
    private readonly payloads: PayloadStore,
  ) {}

  async open({ trigger, cursors, signal }: SourceAsk): Promise<Source> {
    const { source, company_id: companyId } = trigger;
    const { integrationId = '', everySeconds = DEFAULT_SECONDS, start } = source ?? {};
    const inIts: InFolder = async (read, ends) => {
      // a token may have ended since the look before
      const place = placeOf(await this.egress.linkOf(companyId, integrationId), source ?? {});
      return inFolder(this.egress.sockets, place, { timeoutMs: TIMEOUT_MS, signal: ends }, read);
    };
    const keep = this.keeperFor(trigger);
    const stored = cursors.get(SHARD);
    if (stored !== undefined) return new FolderSource(inIts, keep, everySeconds * 1_000, readCursor(stored));
    const begin = await inIts(
      ({ validity, nextUid }) => Promise.resolve({ validity, uid: start === 'earliest' ? 0 : nextUid - 1 }),
      signal,
    );
    const begins = new Map([[SHARD, writeCursor(begin)]]);
    return new FolderSource(inIts, keep, everySeconds * 1_000, begin, begins);
  }

  /** A file that no play uses goes by itself, a day later. */
  private keeperFor({ company_id, created_by }: TriggerDocument): KeepAttachment {
    return async ({ bytes, contentType, filename }) => {
      const { expiresAt: _, ...file } = await this.payloads.userFiles.take(new TenantScope(company_id), once(bytes), {
        contentType: CONTENT_TYPE.test(contentType) ? contentType : BYTES,
        filename: filename?.slice(0, MAX_FILENAME) ?? null,
        by: created_by,
      });
      return file;
    };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
