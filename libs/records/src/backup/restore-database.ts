import mongoose, { type mongo } from 'mongoose';
import { isDuplicateKey, recordAudit, ChangeFeedsRepository, MAJORITY, SystemScope, type Mongo } from '@weft/store';
import { backedUpCollections } from './backed-up-collections.js';
import { BACKUPS, type BackupDocument } from './backup.schema.js';
import { FRAME, type BackupManifest } from './backup-format.js';
import { entriesOf, type BackupEntry } from './backup-reader.js';
import { countWithin } from './copy-database.js';
import { idOf, readExactly } from './exact-bson.js';
import { patiently } from './patiently.js';
import { assertNobodyCame, RESTORING } from './restore-mark.js';

const ENTRIES_PER_WRITE = 1_000;
const BYTES_PER_WRITE = 8 * 1024 * 1024;
const COUNT_WITHIN_MS = 25_000;
const RESTORED = new SystemScope('the restored change feeds of all companies');

/**
 * Replaces what the database holds by a backup that was verified. From its beginning to its end the database has a mark, with which
 * no process starts (`assertNotRestoring`): of a restore that was killed nothing is used, and the next one begins anew. Processes make
 * the indexes when they start, after the migrations that the backup may need.
 *
 * @throws Error when the database does not hold as many documents afterwards as the backup says
 */
export async function restoreDatabase(mongo: Mongo, path: string, manifest: BackupManifest): Promise<void> {
  const backups = mongo.collection<BackupDocument>(BACKUPS);
  await mongo.hearClock();
  const mark = { at: new Date(mongo.serverNow()), backup: manifest.id };
  await backups.updateOne({ _id: RESTORING }, { $set: mark }, { upsert: true, writeConcern: MAJORITY });
  for (const name of await backedUpCollections(mongo)) await mongo.db.dropCollection(name);
  await load(mongo, path);
  await assertCounts(mongo, manifest);
  // the changes after the backup are lost, and others will have their numbers
  await new ChangeFeedsRepository(mongo).renewTags(RESTORED);
  await assertNobodyCame(mongo, mark.at);
  await mongo.transaction(async (session) => {
    await backups.deleteOne({ _id: RESTORING }, { session });
    await recordAudit(session, {
      action_type: 'config_changed',
      collection: BACKUPS,
      company_id: null,
      resource_type: 'config',
      resource_id: 'backup.restored',
      changes: { backup: { before: null, after: manifest.id }, at: { before: null, after: manifest.at } },
      reason: 'npm run restore',
    });
  });
}

async function load(mongo: Mongo, path: string): Promise<void> {
  let batch: BackupEntry[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const [entries, first] = [batch, batch[0]];
    [batch, bytes] = [[], 0];
    if (first) await patiently(() => write(mongo.walked(first.collection), entries));
  };
  for await (const entry of entriesOf(path)) {
    const [first] = batch;
    const isOther = first && (first.collection !== entry.collection || isCopy(first) !== isCopy(entry));
    if (isOther || batch.length === ENTRIES_PER_WRITE || bytes > BYTES_PER_WRITE) await flush();
    batch.push(entry);
    bytes += entry.content.byteLength;
  }
  await flush();
}

function isCopy({ kind }: BackupEntry): boolean {
  return kind === FRAME.copy;
}

type Documents = mongo.Collection<mongo.Document>;

async function write(documents: Documents, entries: readonly BackupEntry[]): Promise<void> {
  if (!entries.some(isCopy)) return writeInOrder(documents, entries);
  try {
    const read = entries.map(({ content }) => readExactly(content));
    await documents.insertMany(read, { ordered: false, writeConcern: MAJORITY });
  } catch (error) {
    // read twice, or changed before the walk came to them
    const known = indexesOfKnown(error);
    if (!known) throw error;
    const again = known.flatMap((i) => entries[i] ?? []);
    await writeInOrder(documents, again);
  }
}

/** Null: something else is wrong. */
function indexesOfKnown(error: unknown): readonly number[] | null {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) return null;
  const faults = [error.writeErrors].flat();
  return faults.length > 0 && faults.every(isDuplicateKey) ? faults.map(({ index }) => index) : null;
}

async function writeInOrder(documents: Documents, entries: readonly BackupEntry[]): Promise<void> {
  const operations = entries.map(({ kind, content }) => {
    const filter = { _id: idOf(content) } as mongo.Filter<mongo.Document>;
    if (kind === FRAME.remove) return { deleteOne: { filter } };
    return { replaceOne: { filter, replacement: readExactly(content), upsert: true } };
  });
  await documents.bulkWrite(operations, { ordered: true, writeConcern: MAJORITY });
}

async function assertCounts(mongo: Mongo, { counts }: BackupManifest): Promise<void> {
  const faults: string[] = [];
  for (const [name, expected] of Object.entries(counts)) {
    const found = expected === null ? null : await countWithin(mongo.walked(name), COUNT_WITHIN_MS);
    if (found !== null && found !== expected) faults.push(`${name}: ${found} of ${expected}`);
  }
  if (faults.length > 0)
    throw new Error(`not all documents were restored (${faults.join(', ')}): start the restore again`);
}
