import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { PayloadRef } from '@weft/engine';
import mongoose, { type ClientSession, type mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../mongo.js';
import type { TenantScope } from '../scope.js';
import {
  PAYLOAD_BUCKET,
  PAYLOAD_CHUNKS,
  PAYLOAD_FILES,
  type PayloadMetadata,
  type PayloadOwner,
} from './payload.schema.js';

/**
 * Outputs that are too large to lie in a play document, as bytes (JSON text in UTF-8). `put` answers when they are durable,
 * so that a play never refers to what is not there; a crash in between leaves bytes without a play, which retention finds.
 * Several plays may refer to one output (a retry takes results over): it goes with the last of them.
 */
export class PayloadStore {
  private opened?: mongo.GridFSBucket;

  constructor(private readonly mongo: Mongo) {}

  async put(scope: TenantScope, owner: PayloadOwner, content: Uint8Array | Readable): Promise<PayloadRef> {
    const { playId, flowId } = owner;
    const metadata: PayloadMetadata = { company_id: scope.companyId, flowId, playIds: [playId] };
    const upload = this.bucket().openUploadStream(playId, { metadata: { ...metadata } });
    await pipeline(content instanceof Readable ? content : Readable.from([content]), upload);
    return { $ref: upload.id.toHexString(), bytes: upload.length };
  }

  /** A stream of the bytes, or null when the company has no such payload. The stream fails when the payload goes meanwhile. */
  async open(scope: TenantScope, ref: PayloadRef | string): Promise<Readable | null> {
    const id = objectId(typeof ref === 'string' ? ref : ref.$ref);
    if (!id) return null;
    const found = await this.files().findOne(
      { _id: id, 'metadata.company_id': scope.companyId },
      { projection: { _id: 1 } },
    );
    return found && this.bucket().openDownloadStream(id);
  }

  /** The whole content in memory: only for what is known to be small enough. */
  async get(scope: TenantScope, ref: PayloadRef | string): Promise<Buffer | null> {
    const stream = await this.open(scope, ref);
    return stream && buffer(stream);
  }

  /**
   * Lets one more play refer to these outputs. All or none; asking again does no harm.
   *
   * @returns false when one of them is gone, or about to go with the last play that referred to it
   */
  async share(scope: TenantScope, refs: readonly PayloadRef[], playId: string): Promise<boolean> {
    const ids = refs.map((ref) => objectId(ref.$ref)).filter((id) => id !== null);
    if (ids.length < refs.length) return false;
    if (ids.length === 0) return true;
    const kept = { _id: { $in: ids }, 'metadata.company_id': scope.companyId, 'metadata.playIds.0': { $exists: true } };
    const { matchedCount } = await this.files().updateMany(
      kept,
      { $addToSet: { 'metadata.playIds': playId } },
      { writeConcern: MAJORITY },
    );
    if (matchedCount === ids.length) return true;
    await this.letGo(scope, [playId]);
    return false;
  }

  /**
   * These plays refer to nothing any more; `removeUnreferenced` then removes what nobody else refers to.
   *
   * @param session of the transaction that deletes the plays; without one, this is a step of its own
   * @returns to how many payloads they had referred
   */
  async letGo(scope: TenantScope, playIds: readonly string[], session?: ClientSession): Promise<number> {
    const { matchedCount } = await this.files().updateMany(
      { 'metadata.company_id': scope.companyId, 'metadata.playIds': { $in: [...playIds] } },
      { $pullAll: { 'metadata.playIds': [...playIds] } } as never,
      session ? { session } : { writeConcern: MAJORITY },
    );
    return matchedCount;
  }

  /** Removes the company's outputs that no play refers to, also those that a crash left behind; gives how many there were. */
  async removeUnreferenced(scope: TenantScope): Promise<number> {
    const unreferenced = { 'metadata.company_id': scope.companyId, 'metadata.playIds': [] };
    const files = await this.files()
      .find(unreferenced, { projection: { _id: 1 } })
      .toArray();
    const ids = files.map((file) => file._id);
    if (ids.length === 0) return 0;
    // files last: after a crash between the two, the next call still finds what is left to remove
    await this.mongo.collection(PAYLOAD_CHUNKS).deleteMany({ files_id: { $in: ids } }, { writeConcern: MAJORITY });
    await this.files().deleteMany({ _id: { $in: ids } }, { writeConcern: MAJORITY });
    return ids.length;
  }

  /** One for the life of the store: a new bucket asks the server for its indexes before its first upload. */
  private bucket(): mongo.GridFSBucket {
    const { connection } = this.mongo;
    return (this.opened ??= new mongoose.mongo.GridFSBucket(connection.getClient().db(connection.name), {
      bucketName: PAYLOAD_BUCKET,
      writeConcern: MAJORITY,
    }));
  }

  private files(): mongo.Collection<mongo.GridFSFile> {
    return this.mongo.collection<mongo.GridFSFile>(PAYLOAD_FILES);
  }
}

function objectId(hex: string): mongo.ObjectId | null {
  return /^[0-9a-f]{24}$/.test(hex) ? mongoose.mongo.ObjectId.createFromHexString(hex) : null;
}
