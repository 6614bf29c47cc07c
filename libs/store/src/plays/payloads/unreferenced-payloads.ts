import type { Play } from '@weft/engine';
import type { Mongo } from '../../driver/mongo.js';
import { PLAYS } from '../play.schema.js';
import { playsThere } from '../reads/plays-there.js';
import type { TenantScope } from '../../scope.js';
import { USED, type FileUses } from './file-uses.js';
import type { PayloadFiles, StoredFile } from './payload-files.js';

/** An accept takes seconds; after that much time it has crashed. */
const ACCEPT_MS = 3_600_000;
/** A layer may run for a day, and its upload as long. */
const UPLOAD_MS = 2 * 24 * 3_600_000;
const BATCH = 500;

/** See `PayloadStore.removeUnreferenced`. In batches, each of which is whole: a crash in between loses nothing. */
export async function removeUnreferenced(
  mongo: Mongo,
  payloads: PayloadFiles,
  uses: FileUses,
  scope: TenantScope,
): Promise<number> {
  const nobodys = { 'metadata.company_id': scope.companyId, 'metadata.playIds': [] as string[] };
  const before = (ageMs: number) => new Date(mongo.serverNow() - ageMs);
  await takeOffWhoNeverCame(mongo, payloads, scope, before(ACCEPT_MS));
  await uses.sweep(scope, before(ACCEPT_MS));
  let removed = 0;
  for (;;) {
    const going = await payloads.files
      .find({ ...nobodys, 'metadata.madeFor': { $exists: false } }, { projection: { _id: 1 }, limit: BATCH })
      .toArray();
    await payloads.remove(going.map(({ _id }) => _id));
    removed += going.length;
    if (going.length < BATCH) break;
  }
  const abandoned = await payloads.files
    .find({
      ...nobodys,
      $or: [
        { 'metadata.uploading': true, uploadDate: { $lt: before(UPLOAD_MS) } },
        {
          'metadata.uploading': { $exists: false },
          'metadata.expiresAt': { $exists: false },
          uploadDate: { $lt: before(ACCEPT_MS) },
        },
        { 'metadata.expiresAt': { $lt: before(0) } },
      ],
    } as never)
    .limit(BATCH)
    .toArray();
  const adopted = await adoptByTheirPlays(mongo, payloads, scope, abandoned);
  const lost = abandoned.filter(({ _id }) => !adopted.has(_id.toHexString())).map(({ _id }) => _id);
  // one that a play has begun to use meanwhile stays
  await payloads.files.updateMany({ ...nobodys, _id: { $in: lost } }, { $set: { 'metadata.going': true } });
  const going = await payloads.files
    .find({ _id: { $in: lost }, 'metadata.going': true }, { projection: { _id: 1 } })
    .toArray();
  await payloads.remove(going.map(({ _id }) => _id));
  return removed + going.length;
}

/**
 * A crash between `share` and the insert leaves the id of a play that never was. Some at a time: of one that is shared again
 * meanwhile the next run looks again.
 */
async function takeOffWhoNeverCame(
  mongo: Mongo,
  payloads: PayloadFiles,
  scope: TenantScope,
  sharedBefore: Date,
): Promise<void> {
  const shared = await payloads.files
    .find({ 'metadata.company_id': scope.companyId, 'metadata.sharedAt': { $lt: sharedBefore } })
    .limit(BATCH)
    .toArray();
  if (shared.length === 0) return;
  const there = await playsThere(
    mongo,
    scope,
    shared.flatMap(({ metadata }) => metadata.playIds),
  );
  for (const { _id, metadata } of shared) {
    const missing = metadata.playIds.filter((id) => id !== USED && !there.has(id));
    await payloads.files.updateOne({ _id, 'metadata.sharedAt': metadata.sharedAt }, {
      $unset: { 'metadata.sharedAt': true },
      ...(missing.length > 0 && { $pullAll: { 'metadata.playIds': missing } }),
    } as never);
  }
}

/** Args whose play was accepted although nobody noted it here. */
async function adoptByTheirPlays(
  mongo: Mongo,
  payloads: PayloadFiles,
  scope: TenantScope,
  files: readonly StoredFile[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const plays = await mongo
    .collection<Play>(PLAYS)
    .find(
      { _id: { $in: files.map(({ metadata }) => metadata.madeFor ?? '') }, company_id: scope.companyId },
      { projection: { argsRef: 1 }, readConcern: 'majority' },
    )
    .toArray();
  const playOf = new Map(plays.flatMap(({ _id, argsRef }) => (argsRef ? [[argsRef.$ref, _id] as const] : [])));
  for (const { _id } of files) {
    const playId = playOf.get(_id.toHexString());
    if (playId === undefined) continue;
    await payloads.files.updateOne({ _id }, {
      $addToSet: { 'metadata.playIds': playId },
      $unset: { 'metadata.madeFor': true },
    } as never);
  }
  return new Set(playOf.keys());
}
