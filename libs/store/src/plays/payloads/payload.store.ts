import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { outputIn, type PayloadForm, type PayloadRef, type Play } from '@weft/engine';
import { parseStoredJson } from '@weft/kernel';
import type { ClientSession, mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import type { TenantScope } from '../../scope.js';
import { FileStore } from './file.store.js';
import { FileUses } from './file-uses.js';
import { fileId, newFileId, PayloadFiles, type StoredFile } from './payload-files.js';
import { PayloadUpload, type Retry } from './payload-upload.js';
import { PAYLOAD_CHUNK_BYTES, type PayloadOwner } from './payload.schema.js';
import { playsThere } from '../reads/plays-there.js';
import { removeUnreferenced } from './unreferenced-payloads.js';

/** The parts of a play that are stored in the payload store: outputs of its layers, its args, what was sent to it, files. */
export type PayloadComponent = 'outputs' | 'args' | 'answers' | 'files';

export interface PayloadStoreOptions {
  readonly onWritten?: (component: PayloadComponent, bytes: number) => void;
  /** Around each step of a read or an upload; default: it is tried once. */
  readonly retry?: Retry;
}

/** What is stored under a reference. */
export interface StoredPayload {
  /** Null: the content is the JSON text of what it stands for. */
  readonly form: PayloadForm | null;
  readonly bytes: number;
  /** From its beginning, a piece at a time. Fails when the payload goes meanwhile. */
  readonly content: AsyncIterable<Buffer>;
}

const ONCE: Retry = (step) => step();

/**
 * What is too large for a play document. A payload is durable before a play refers to it; a crash in between leaves one
 * without a play, which `removeUnreferenced` finds. Several plays may refer to one (a retry takes results over): it is
 * deleted with the last of them.
 */
export class PayloadStore {
  readonly userFiles: FileStore;
  private readonly files: PayloadFiles;
  private readonly uses: FileUses;
  private readonly retry: Retry;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: PayloadStoreOptions = {},
  ) {
    this.files = new PayloadFiles(mongo);
    this.uses = new FileUses(mongo, this.files);
    this.retry = options.retry ?? ONCE;
    this.userFiles = new FileStore(mongo, options, this.uses, (file) => this.contentOf(file));
  }

  /** Rejects when payloads cannot be read. */
  async answers(): Promise<void> {
    await this.files.files.findOne({}, { projection: { _id: 1 } });
  }

  /** An output of a play that is there. Resolves when it is durable. */
  async put(
    scope: TenantScope,
    { playId, flowId }: PayloadOwner,
    content: Uint8Array,
    form?: PayloadForm,
  ): Promise<PayloadRef> {
    const metadata = { company_id: scope.companyId, flowId, playIds: [playId], ...(form && { form }) };
    return this.putWhole('outputs', content, metadata);
  }

  /** Args of a play that is not there yet: to be followed by `adopt`, or `discard`. */
  async putArgs(scope: TenantScope, { playId, flowId }: PayloadOwner, content: Uint8Array): Promise<PayloadRef> {
    return this.putWhole('args', content, { company_id: scope.companyId, flowId, playIds: [], madeFor: playId });
  }

  /**
   * What is sent to plays, maybe to many: nobody refers to it before `addReferences`.
   *
   * @param owner one of them
   */
  async putAnswer(scope: TenantScope, { playId, flowId }: PayloadOwner, content: Uint8Array): Promise<PayloadRef> {
    return this.putWhole('answers', content, { company_id: scope.companyId, flowId, playIds: [], madeFor: playId });
  }

  /** These plays are about to refer to it, too. @returns false when it is not stored any more */
  async addReferences(scope: TenantScope, { $ref }: PayloadRef, playIds: readonly string[]): Promise<boolean> {
    const { matchedCount } = await this.files.files.updateOne(
      { _id: fileId($ref) ?? undefined, 'metadata.company_id': scope.companyId },
      { $addToSet: { 'metadata.playIds': { $each: [...playIds] } } },
      { writeConcern: MAJORITY },
    );
    return matchedCount === 1;
  }

  /** These plays do not refer to it after all; it is deleted with the last play that does. */
  async removeReferences(scope: TenantScope, { $ref }: PayloadRef, playIds: readonly string[]): Promise<void> {
    await this.files.files.updateOne(
      { _id: fileId($ref) ?? undefined, 'metadata.company_id': scope.companyId },
      { $pullAll: { 'metadata.playIds': [...playIds] }, $unset: { 'metadata.madeFor': true } } as never,
      { writeConcern: MAJORITY },
    );
  }

  /** For an output that comes in pieces, of which nobody knows how many. */
  upload(scope: TenantScope, { playId, flowId }: PayloadOwner): PayloadUpload {
    return new PayloadUpload(
      this.files,
      { company_id: scope.companyId, flowId, playIds: [], madeFor: playId, uploading: true },
      this.retry,
      (bytes) => this.options.onWritten?.('outputs', bytes),
    );
  }

  /** The play that it was made for has been accepted. */
  async adopt(scope: TenantScope, ref: PayloadRef, playId: string): Promise<void> {
    await this.files.files.updateOne(
      { _id: fileId(ref.$ref) ?? undefined, 'metadata.company_id': scope.companyId },
      { $addToSet: { 'metadata.playIds': playId }, $unset: { 'metadata.madeFor': true } } as never,
      { writeConcern: MAJORITY },
    );
  }

  /** The play that it was made for will not be. */
  async discard(scope: TenantScope, ref: PayloadRef): Promise<void> {
    const file = await this.find(scope, ref);
    if (file) await this.files.remove([file._id]);
  }

  /** Null when the company has no such payload (any more). */
  async open(scope: TenantScope, ref: PayloadRef): Promise<StoredPayload | null> {
    const file = await this.retry(() => this.find(scope, ref));
    if (!file) return null;
    return { form: file.metadata.form ?? null, bytes: file.length, content: this.contentOf(file) };
  }

  /** The JSON text in memory: only for what is known to be small enough. Null also when it is stored in another form. */
  async get(scope: TenantScope, ref: PayloadRef): Promise<Buffer | null> {
    const stored = await this.open(scope, ref);
    return stored?.form === null ? buffer(Readable.from(stored.content)) : null;
  }

  /** The whole output: only of what is known to be small enough. Null also when it came in pieces. */
  async output(scope: TenantScope, ref: PayloadRef): Promise<{ readonly out: unknown } | null> {
    const stored = await this.open(scope, ref);
    if (!stored || (stored.form && stored.form.bytes === undefined)) return null;
    const content = await buffer(Readable.from(stored.content));
    return { out: stored.form ? outputIn(stored.form, content) : parseStoredJson(content) };
  }

  /** The args of the play, wherever they are stored. */
  async argsOf(scope: TenantScope, { args, argsRef }: Pick<Play, 'args' | 'argsRef'>): Promise<Play['args']> {
    if (!argsRef) return args;
    const text = await this.get(scope, argsRef);
    if (!text) throw new Error(`the args in the payload ${argsRef.$ref} are gone before their play`);
    return parseStoredJson(text) as Play['args'];
  }

  /** Bytes of all payloads of the company, files and large values. It reads every one of them. */
  async bytesOf({ companyId }: TenantScope, within: AbortSignal): Promise<number> {
    const [found] = await this.files.files
      .aggregate<{
        readonly bytes: number;
      }>([{ $match: { 'metadata.company_id': companyId } }, { $group: { _id: null, bytes: { $sum: '$length' } } }], {
        signal: within,
      })
      .toArray();
    return found?.bytes ?? 0;
  }

  /**
   * Lets one more play refer to these payloads, which is to be inserted within the hour: `removeUnreferenced` takes it off again
   * if it is not there then. All or none; asking again does no harm.
   *
   * @returns false when one of them is gone, or about to go with the last play that referred to it
   */
  async share(scope: TenantScope, refs: readonly PayloadRef[], playId: string): Promise<boolean> {
    const ids = refs.map((ref) => fileId(ref.$ref)).filter((id) => id !== null);
    if (ids.length < refs.length) return false;
    if (ids.length === 0) return true;
    const kept = {
      _id: { $in: ids },
      'metadata.company_id': scope.companyId,
      $or: [{ 'metadata.playIds.0': { $exists: true } }, { 'metadata.madeFor': { $exists: true } }],
    };
    const { matchedCount } = await this.files.files.updateMany(
      kept,
      { $addToSet: { 'metadata.playIds': playId }, $currentDate: { 'metadata.sharedAt': true } },
      { writeConcern: MAJORITY },
    );
    if (matchedCount === ids.length) return true;
    await this.letGo(scope, [playId]);
    return false;
  }

  /**
   * These plays refer to nothing any more; `removeUnreferenced` then removes what nobody else refers to.
   *
   * @param session of the transaction that deletes the plays; without one, they were never inserted, and one that is there all
   * the same keeps what it refers to
   * @returns how many payloads knew of them
   */
  async letGo(scope: TenantScope, playIds: readonly string[], session?: ClientSession): Promise<number> {
    if (!session) {
      return this.mongo.transaction(async (own) => {
        const there = await playsThere(this.mongo, scope, playIds, own);
        return this.letGo(
          scope,
          playIds.filter((id) => !there.has(id)),
          own,
        );
      });
    }
    const letGo = await this.pull(scope, playIds, session);
    await this.uses.letGo(scope, playIds, session);
    return letGo;
  }

  /**
   * These plays refer to nothing any more that their layers made. What they were given they refer to still: their args, and the
   * files that those name.
   *
   * @param args where those of the plays are stored
   */
  async letGoOutputs(
    scope: TenantScope,
    playIds: readonly string[],
    session: ClientSession,
    args: readonly PayloadRef[],
  ): Promise<void> {
    const staying = args.map((ref) => fileId(ref.$ref)).filter((id) => id !== null);
    // an upload is not the output of a layer
    await this.pull(scope, playIds, session, { _id: { $nin: staying }, 'metadata.expiresAt': { $exists: false } });
  }

  private async pull(
    { companyId }: TenantScope,
    playIds: readonly string[],
    session: ClientSession,
    which: mongo.Filter<mongo.Document> = {},
  ): Promise<number> {
    const { matchedCount } = await this.files.files.updateMany(
      { ...which, 'metadata.company_id': companyId, 'metadata.playIds': { $in: [...playIds] } },
      { $pullAll: { 'metadata.playIds': [...playIds] } },
      { session },
    );
    return matchedCount;
  }

  /**
   * Removes the company's payloads that no play refers to, also those that were shared with a play which never came, and those that a crash left behind, which are known by their age:
   * one that is being written, or whose play is being accepted, stays.
   *
   * @returns how many there were
   */
  async removeUnreferenced(scope: TenantScope): Promise<number> {
    return removeUnreferenced(this.mongo, this.files, this.uses, scope);
  }

  private async putWhole(
    component: PayloadComponent,
    content: Uint8Array,
    metadata: Parameters<PayloadFiles['insert']>[1]['metadata'],
  ): Promise<PayloadRef> {
    const id = newFileId();
    // the file before its chunks: nothing is ever there that no file tells of
    await this.retry(() => this.files.insert(id, { length: content.byteLength, metadata }));
    for (let n = 0; n * PAYLOAD_CHUNK_BYTES < content.byteLength; n += 1) {
      const chunk = content.subarray(n * PAYLOAD_CHUNK_BYTES, (n + 1) * PAYLOAD_CHUNK_BYTES);
      await this.retry(() => this.files.putChunk(id, n, chunk));
    }
    this.options.onWritten?.(component, content.byteLength);
    return { $ref: id.toHexString(), bytes: content.byteLength };
  }

  private async find(scope: TenantScope, ref: PayloadRef) {
    const id = fileId(ref.$ref);
    return id && this.files.files.findOne({ _id: id, 'metadata.company_id': scope.companyId });
  }

  /** One chunk at a time, the next one on its way while one is read. */
  private async *contentOf({ _id: id, length: bytes, chunkSize }: StoredFile): AsyncGenerator<Buffer> {
    const chunks = Math.ceil(bytes / chunkSize);
    const ask = (n: number) => (n < chunks ? this.retry(() => this.files.chunk(id, n)) : null);
    let next = ask(0);
    for (let n = 0; n < chunks; n += 1) {
      const chunk = await next;
      if (!chunk) throw new Error(`the payload ${id.toHexString()} was removed while it was read`);
      next = ask(n + 1);
      // whoever stops reading does not hear of it
      next?.catch(() => undefined);
      yield chunk;
    }
  }
}
