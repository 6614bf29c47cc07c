import { COLLECTIONS } from '@weft/records';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { cleanUpWith } from './clean-up.js';
import type { ProcessServers } from './process-env.js';
import { testRun } from '../test-run.js';

export interface LiveMongo {
  readonly uri: string;
  /** A database without documents for this file or test alone, until the file, or the test that asked for it, is done. */
  readonly db: string;
}

export interface LiveRedis {
  readonly url: string;
  /** A QUEUE_PREFIX for this file or test alone; its keys are removed when the file, or the test that asked for it, is done. */
  readonly prefix: string;
  /** Removes the keys with this prefix, as a Redis that lost everything would. `FLUSHALL` would take those of every other spec. */
  readonly wipe: () => Promise<void>;
}

/** The documents of a database, by collection. */
export type Documents = ReadonlyMap<string, readonly { readonly _id: string }[]>;

/** Databases of this worker that have all collections and indexes of the product and no document: to make one takes a second. */
const emptied: string[] = [];
const DECLARED = new Set(COLLECTIONS.map(({ name }) => name));
const DECLARED_INDEXES = COLLECTIONS.reduce((count, { schema }) => count + 1 + schema.indexes().length, 0);

let client: Promise<mongoose.mongo.MongoClient> | undefined;

/**
 * The run's MongoDB with a database without documents. Call it at the top of a spec file or of a `describe`, or in a test. It may
 * have the product's collections and indexes already, because an earlier spec of this worker used it.
 *
 * @param options.isNew it has no collections either, for a spec that looks at how they are made or changed; default false
 */
export function liveMongo({ isNew = false } = {}): LiveMongo {
  const { mongodbUri: uri } = testRun();
  const db = (isNew ? undefined : emptied.pop()) ?? newDatabase();
  cleanUpWith(async () => {
    const used = await databaseAt(uri, db);
    if (isNew || !(await isAsDeclared(used))) {
      await used.dropDatabase();
      return;
    }
    await putBack(used, new Map());
    emptied.push(db);
  });
  return { uri, db };
}

/** The run's Redis with a fresh prefix. Call it at the top of a spec file or of a `describe`, or in a test. */
export function liveRedis(): LiveRedis {
  const { redisUrl: url } = testRun();
  const prefix = newPrefix();
  const wipe = (): Promise<void> => wipeKeys(url, prefix);
  cleanUpWith(wipe);
  return { url, prefix, wipe };
}

/** Servers of an installation that several spec files of this worker use one after the other. */
export function sharedServers(): ProcessServers {
  const { mongodbUri, redisUrl } = testRun();
  return { mongodbUri, mongodbDb: newDatabase(), redisUrl, queuePrefix: newPrefix() };
}

export async function documentsOf({ mongodbUri, mongodbDb }: ProcessServers): Promise<Documents> {
  const db = await databaseAt(mongodbUri, mongodbDb);
  const read = COLLECTIONS.map(
    async ({ name }) => [name, await db.collection<{ _id: string }>(name).find().toArray()] as const,
  );
  return new Map(await Promise.all(read));
}

/** Leaves the next spec file what was there before this one. */
export async function restoreServers(servers: ProcessServers, documents: Documents): Promise<void> {
  const db = await databaseAt(servers.mongodbUri, servers.mongodbDb);
  await Promise.all([putBack(db, documents), wipeKeys(servers.redisUrl, servers.queuePrefix)]);
}

/** @returns whether another spec may have it: it has all collections and indexes of the product, and no others */
async function isAsDeclared(db: mongoose.mongo.Db): Promise<boolean> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  if (names.filter((name) => DECLARED.has(name)).length < DECLARED.size) return false;
  await Promise.all(names.filter((name) => !DECLARED.has(name)).map((name) => db.collection(name).drop()));
  return (await db.stats()).indexes === DECLARED_INDEXES;
}

/** Afterwards the collections of the product have these documents alone. */
async function putBack(db: mongoose.mongo.Db, documents: Documents): Promise<void> {
  const writeConcern = { w: 'majority' } as const;
  const restore = async (name: string): Promise<void> => {
    const kept = documents.get(name) ?? [];
    const collection = db.collection<{ _id: string }>(name);
    await collection.deleteMany({ _id: { $nin: kept.map(({ _id }) => _id) } }, { writeConcern });
    const replaced = kept.map((one) => ({ replaceOne: { filter: { _id: one._id }, replacement: one, upsert: true } }));
    if (replaced.length > 0) await collection.bulkWrite(replaced, { writeConcern });
  };
  await Promise.all([...DECLARED].map(restore));
}

async function databaseAt(uri: string, db: string): Promise<mongoose.mongo.Db> {
  return (await (client ??= mongoose.mongo.MongoClient.connect(uri, { maxPoolSize: 8 }))).db(db);
}

async function wipeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `*${prefix}*`, count: 1_000 }) as AsyncIterable<string[]>) {
    if (keys.length > 0) await redis.unlink(keys);
  }
  await redis.quit();
}

/** Both contain the name of the run's folder: the end of a run removes what is left of them on servers that go on. */
function newDatabase(): string {
  return `${runName()}_${suffix()}`;
}

function newPrefix(): string {
  return `${runName()}-${suffix()}`;
}

function runName(): string {
  return basename(testRun().folder);
}

function suffix(): string {
  return randomBytes(6).toString('hex');
}
