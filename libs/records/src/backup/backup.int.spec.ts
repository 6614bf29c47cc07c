import { liveMongo, scratchFolder, waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { CHANGE_FEEDS, Mongo } from '@weft/store';
import { HEALTH_PROBES } from '../operations/health-probe.schema.js';
import { BACKUP_FORMAT } from './backup-format.js';
import { BACKUPS } from './backup.schema.js';
import { verifyBackup } from './backup-reader.js';
import { BackupWriter, fileTarget } from './backup-writer.js';
import { copyDatabase } from './copy-database.js';
import { restoreDatabase } from './restore-database.js';
import { assertNotRestoring, lookAtTarget } from './restore-mark.js';

const { Binary, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp } = mongoose.mongo.BSON;
const folder = scratchFolder('backups');
let files = 0;

async function openDb(): Promise<Mongo> {
  const { uri, db } = liveMongo({ isNew: true });
  const mongo = await Mongo.open({ uri, db, appName: 'spec' });
  afterAll(() => mongo.close());
  return mongo;
}

const source = await openDb();
const target = await openDb();

async function backUp(mongo: Mongo): Promise<string> {
  const path = join(folder, `${(files += 1)}.weft-backup`);
  const head = { version: '1', dataLevel: 0, database: 'x', startedAt: '', id: `backup ${files}` };
  const keys = { encKeySecret: '', encKeySecretPrevious: [], envKeySalt: '', sealed: null };
  await copyDatabase(
    mongo,
    (collections) => new BackupWriter(fileTarget(path), { format: BACKUP_FORMAT, ...head, collections, keys }),
  );
  return path;
}

async function restore(path: string, into = target): Promise<void> {
  await restoreDatabase(into, path, await verifyBackup(path));
}

async function bytesOf(mongo: Mongo, collection: string): Promise<string[]> {
  const found = await mongo.walked(collection).find({}, { raw: true }).sort({ _id: 1 }).toArray();
  return found.map((document) => Buffer.from(document as unknown as Uint8Array).toString('hex'));
}

describe('cursors of change feeds', () => {
  it('end with a restore: the changes after the backup have their numbers again', async () => {
    const feeds = ['one', 'two'].map((_id) => ({ _id, tag: 'abcdef', walkedTo: _id, complete: true }));
    await source.collection<{ _id: string }>(CHANGE_FEEDS).insertMany(feeds);
    await restore(await backUp(source));
    const restored = await target.collection<{ _id: string; tag: string }>(CHANGE_FEEDS).find().toArray();
    expect(restored).toMatchObject(feeds.map(({ tag: _, ...rest }) => rest));
    const tags = restored.map(({ tag }) => tag);
    for (const tag of tags) expect(tag).toMatch(/^[0-9a-f]{6}$/);
    expect(new Set([...tags, 'abcdef']).size).toBe(3);
  });
});

describe('a backup of a database that changes', () => {
  const ACCOUNTS = 2_500;
  const [early, late, pairs] = ['a_accounts', 'z_accounts', 'y_pairs'];
  const accounts = (side: string) => source.walked<{ _id: number; sum: number }>(side);

  /** Moves an amount between the collections, and makes, changes and deletes documents of which each needs another one. */
  async function change(n: number): Promise<void> {
    const [from, to] = n % 2 ? [early, late] : [late, early];
    const _id = (n * 7_919) % ACCOUNTS;
    await source.transaction(async (session) => {
      await accounts(from).updateOne({ _id }, { $inc: { sum: -1 } }, { session });
      await accounts(to).updateOne({ _id: ACCOUNTS - 1 - _id }, { $inc: { sum: 1 } }, { session });
    });
    await source.walked(early).insertOne({ _id: `first ${n}` as never });
    await source.walked(pairs).insertOne({ _id: `second ${n}` as never });
    if (n % 3 === 0) await source.walked(pairs).deleteOne({ _id: `second ${n}` as never });
    if (n % 3 === 0) await source.walked(early).deleteOne({ _id: `first ${n}` as never });
  }

  it('shows one point in time: what was written together or in order is there together or in order', async () => {
    for (const side of [early, late]) {
      await accounts(side).insertMany(Array.from({ length: ACCOUNTS }, (_, _id) => ({ _id, sum: 100 })));
    }
    let isOver = false;
    let changes = 0;
    const writers = Array.from({ length: 4 }, async (_, lane) => {
      for (let n = lane; !isOver; n += 4) {
        await change(n);
        changes += 1;
      }
    });
    // a copy shows the time at which it begins
    await waitFor(() => changes > 10, { what: 'some changes' });
    const before = changes;
    const path = await backUp(source);
    const during = changes - before;
    isOver = true;
    await Promise.all(writers);
    expect(during).toBeGreaterThan(0);

    await restore(path);
    const sums = [early, late].map((side) =>
      target
        .walked<{ sum: number }>(side)
        .aggregate<{ sum: number }>([{ $group: { _id: null, sum: { $sum: '$sum' } } }])
        .toArray(),
    );
    const total = (await Promise.all(sums)).flat().reduce((all, { sum }) => all + sum, 0);
    expect(total).toBe(2 * ACCOUNTS * 100);
    const ids = async (name: string) =>
      (await target.walked(name).find({}).toArray()).map(({ _id }) => String(_id)).filter((id) => / \d+$/.test(id));
    const firsts = new Set(await ids(early));
    const seconds = await ids(pairs);
    expect(seconds.length).toBeGreaterThan(0);
    // the first is made before the second, and deleted after it
    expect(seconds.filter((id) => !firsts.has(id.replace('second', 'first')))).toEqual([]);
  });
});

describe('a restored database', () => {
  it('has the bytes of each document, whatever its types and the order of its fields', async () => {
    const [mongo, into] = [await openDb(), await openDb()];
    const _ids = [
      'text',
      7,
      new Double(2),
      Long.fromString('9007199254740993'),
      new ObjectId(),
      { b: 1, a: 'x' },
      null,
    ];
    const rest = {
      z: new Double(1),
      i: new Int32(1),
      l: Long.fromString('9007199254740995'),
      d: Decimal128.fromString('1.10'),
      b: new Binary(Buffer.from([1, 2]), 128),
      at: new Date(0),
      t: new Timestamp({ t: 1, i: 2 }),
      re: new mongoose.mongo.BSON.BSONRegExp('a', 'i'),
      max: new MaxKey(),
      ref: { $ref: '/api/v1/plays/x', bytes: 12 },
      'dotted.name': { $dollar: [[], {}, null] },
      a: undefined,
    };
    await mongo.walked('things').insertMany(_ids.map((_id) => ({ _id, ...rest })) as never);
    await restore(await backUp(mongo), into);
    expect(await bytesOf(into, 'things')).toEqual(await bytesOf(mongo, 'things'));
    expect(await bytesOf(into, 'things')).toHaveLength(_ids.length);
  });

  it('has no sessions and no signs of life of the one before', async () => {
    const [mongo, into] = [await openDb(), await openDb()];
    for (const name of ['sessions', HEALTH_PROBES, 'oauth_logins', 'users']) {
      await mongo.walked(name).insertOne({ _id: 'x' as never });
    }
    await restore(await backUp(mongo), into);
    const names = (await into.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['audit_logs', BACKUPS, 'users']);
    expect(await into.walked('audit_logs').findOne({})).toMatchObject({ resource_id: 'backup.restored' });
  });
});

describe('a file that is not a whole backup', async () => {
  const mongo = await openDb();
  await mongo
    .walked('things')
    .insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i as never, text: `thing ${i}` })));
  const whole = gunzipSync(readFileSync(await backUp(mongo)));
  const packed = (bytes: Uint8Array): string => {
    const path = join(folder, `${(files += 1)}.damaged`);
    writeFileSync(path, gzipSync(bytes));
    return path;
  };

  it.each([
    ['cut after the head', whole.subarray(0, 700)],
    ['cut before its end', whole.subarray(0, -10)],
    ['continued', Buffer.concat([whole, whole])],
    ['empty', Buffer.alloc(0)],
    ['something else', Buffer.from('PK something else altogether')],
  ])('is refused: %s', async (_, bytes) => {
    await expect(verifyBackup(packed(bytes))).rejects.toThrow(/not whole|not a backup|continues/);
  });

  it('is refused when a byte of a document has changed', async () => {
    const bytes = Buffer.from(whole);
    bytes.write('THING', whole.indexOf('thing 17'));
    await expect(verifyBackup(packed(bytes))).rejects.toThrow('checksum');
  });

  it('is refused when it is cut as it is stored', async () => {
    const path = join(folder, `${(files += 1)}.damaged`);
    writeFileSync(path, gzipSync(whole).subarray(0, -30));
    await expect(verifyBackup(path)).rejects.toThrow('not whole');
  });

  it('leaves, when it breaks during a restore, a database that no process uses and the next restore replaces', async () => {
    const into = await openDb();
    const path = await backUp(mongo);
    const manifest = await verifyBackup(path);
    await expect(restoreDatabase(into, packed(whole.subarray(0, -800)), manifest)).rejects.toThrow('not whole');
    await expect(assertNotRestoring(into)).rejects.toThrow('has not ended');
    expect(await lookAtTarget(into)).toMatchObject({ isRestoring: true, processes: [] });
    await restoreDatabase(into, path, manifest);
    await assertNotRestoring(into);
    expect(await bytesOf(into, 'things')).toEqual(await bytesOf(mongo, 'things'));
  });

  it('is not written over while a process runs on the database', async () => {
    const into = await openDb();
    const path = await backUp(mongo);
    const probes = into.walked<{ _id: string }>(HEALTH_PROBES);
    const beat = () =>
      probes.updateOne({ _id: 'worker:4' }, { $set: { level: 4 }, $currentDate: { at: true } }, { upsert: true });
    await beat();
    const beats = setInterval(() => void beat(), 500);
    try {
      expect((await lookAtTarget(into)).processes).toEqual(['worker']);
      await expect(restoreDatabase(into, path, await verifyBackup(path))).rejects.toThrow('processes ran');
      await expect(assertNotRestoring(into)).rejects.toThrow('has not ended');
    } finally {
      clearInterval(beats);
    }
  });
});
