import { createHash } from 'node:crypto';
import { filePath, type FileValue } from '@weft/contracts';
import type { PayloadRef } from '@weft/engine';
import type { mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import { TenantScope } from '../../scope.js';
import { USED, type FileUses } from './file-uses.js';
import { fileId, PayloadFiles, secretFileId, type StoredFile } from './payload-files.js';
import { PayloadUpload, type Retry } from './payload-upload.js';
import { UPLOADED, type FileFacts, type PayloadOwner } from './payload.schema.js';
import type { PayloadStoreOptions, StoredPayload } from './payload.store.js';

type Chunks = AsyncIterable<Uint8Array>;

/** What is known of a file before its bytes. */
export type FileLabel = Omit<FileFacts, 'sha256' | 'by'>;

export interface UploadedFile extends FileValue {
  readonly expiresAt: Date;
}

/** A file as it is stored. */
export interface KnownFile extends FileValue {
  readonly by: string | null;
  /** The plays that refer to it, some at a time: those whose layers made it, then those that came last. */
  plays(): AsyncIterable<readonly string[]>;
  /** From its beginning; it may be called several times. */
  read(): StoredPayload['content'];
}

/** An upload that nobody uses is kept for a day; each use counts anew. */
const UNUSED_MS = 24 * 3_600_000;

/** Plays whose layers made a file, or that took it over from those. */
const MOST_MAKERS = 1_000;

const ONCE: Retry = (step) => step();

/** The payloads that users have as files: uploads, and bodies that layers stored. Their content is never interpreted. */
export class FileStore {
  private readonly files: PayloadFiles;
  private readonly retry: Retry;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: PayloadStoreOptions,
    private readonly uses: FileUses,
    private readonly contentOf: (file: StoredFile) => StoredPayload['content'],
  ) {
    this.files = new PayloadFiles(mongo);
    this.retry = options.retry ?? ONCE;
  }

  /** Uploads of the company that have not expired, counted up to `most`. */
  async uploadsOf(
    { companyId }: TenantScope,
    most: number,
  ): Promise<{ readonly count: number; readonly bytes: number }> {
    const [found] = await this.files.files
      .aggregate<{ readonly count: number; readonly bytes: number }>([
        { $match: { 'metadata.company_id': companyId, 'metadata.expiresAt': { $gt: this.at(0) } } },
        { $limit: most },
        { $project: { _id: 0, length: 1 } },
        { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: '$length' } } },
      ])
      .toArray();
    return { count: found?.count ?? 0, bytes: found?.bytes ?? 0 };
  }

  /** Stores what somebody sends, no faster than the store takes it. On an error of the content nothing stays. */
  async take(scope: TenantScope, content: Chunks, label: FileLabel & { readonly by: string }): Promise<UploadedFile> {
    const expiresAt = this.at(UNUSED_MS);
    const file = await this.write(scope, { playId: UPLOADED, flowId: '' }, content, label, expiresAt);
    return { ...file, expiresAt };
  }

  /** Stores what a layer received; its play refers to it from now on. */
  keep(scope: TenantScope, owner: PayloadOwner, content: Chunks, label: FileLabel): Promise<FileValue> {
    return this.write(scope, owner, content, { ...label, by: null });
  }

  /** Null when the company has no such file (any more). */
  async open({ companyId }: TenantScope, id: string): Promise<KnownFile | null> {
    const _id = fileId(id);
    const found =
      _id &&
      (await this.retry(() =>
        this.files.files.findOne({ ...this.usable(), _id, 'metadata.company_id': companyId } as never),
      ));
    if (!found?.metadata.file) return null;
    const { by, ...label } = found.metadata.file;
    return {
      ...toValue(id, found.length, label),
      by,
      plays: () => this.playsOf(new TenantScope(companyId), found),
      read: () => this.contentOf(found),
    };
  }

  private async *playsOf(scope: TenantScope, { _id, metadata }: StoredFile): AsyncGenerator<readonly string[]> {
    const makers = metadata.playIds.filter((id) => id !== USED).toReversed();
    if (makers.length > 0) yield makers.slice(0, MOST_MAKERS);
    yield* this.uses.playsOf(scope, _id);
  }

  /**
   * The play, which is to be inserted within the hour, refers to these files: as `PayloadStore.share`. All or none.
   *
   * @returns false when the company has one of them not (any more)
   */
  async use(scope: TenantScope, ids: readonly string[], ...playIds: readonly string[]): Promise<boolean> {
    const known = ids.map(fileId).filter((id) => id !== null);
    if (known.length < ids.length || !(await this.uses.add(scope, known, playIds, () => this.usable()))) return false;
    await this.files.files.updateMany(
      { _id: { $in: known }, 'metadata.company_id': scope.companyId, 'metadata.expiresAt': { $exists: true } },
      { $max: { 'metadata.expiresAt': this.at(UNUSED_MS) } },
    );
    return true;
  }

  /** The same for those files that the company has, and nothing for the others. */
  async useThoseThere(scope: TenantScope, ids: readonly string[], playIds: readonly string[]): Promise<void> {
    const named = ids.map(fileId).filter((id) => id !== null);
    if (named.length === 0 || playIds.length === 0) return;
    const there = await this.uses.those(scope, named, this.usable());
    await this.use(scope, there.map(String), ...playIds);
  }

  /** A play that takes over what another one has refers to all files of that one, too. */
  async shareAll(scope: TenantScope, from: string, playId: string): Promise<void> {
    await this.files.files.updateMany(
      { 'metadata.company_id': scope.companyId, 'metadata.playIds': from, 'metadata.file': { $exists: true } },
      { $addToSet: { 'metadata.playIds': playId }, $currentDate: { 'metadata.sharedAt': true } },
      { writeConcern: MAJORITY },
    );
    await this.uses.copy(scope, from, playId);
  }

  private async write(
    { companyId }: TenantScope,
    { playId, flowId }: PayloadOwner,
    content: Chunks,
    label: FileLabel & Pick<FileFacts, 'by'>,
    expiresAt?: Date,
  ): Promise<FileValue> {
    const upload = new PayloadUpload(
      this.files,
      { company_id: companyId, flowId, playIds: [], madeFor: playId, uploading: true, file: { ...label, sha256: '' } },
      this.retry,
      (bytes) => this.options.onWritten?.('files', bytes),
      secretFileId(),
    );
    const hash = createHash('sha256');
    await upload.write(hashing(content, (chunk) => hash.update(chunk)));
    const facts = { ...label, sha256: hash.digest('hex') };
    const ref: PayloadRef = await upload.finishFile(facts, expiresAt);
    return toValue(ref.$ref, ref.bytes, facts);
  }

  /** A file that may be referred to: an upload not after its time, unless plays refer to it still. */
  private usable(): mongo.Filter<mongo.Document> {
    return {
      'metadata.file': { $exists: true },
      'metadata.uploading': { $exists: false },
      'metadata.going': { $exists: false },
      $or: [{ 'metadata.playIds.0': { $exists: true } }, { 'metadata.expiresAt': { $gt: this.at(0) } }],
    };
  }

  private at(laterMs: number): Date {
    return new Date(this.mongo.serverNow() + laterMs);
  }
}

function toValue(id: string, bytes: number, { contentType, filename, sha256 }: Omit<FileFacts, 'by'>): FileValue {
  return { $ref: filePath(id), bytes, contentType, filename, sha256 };
}

async function* hashing(content: Chunks, take: (chunk: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    take(chunk);
    yield chunk;
  }
}
