import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { cleanUpWith } from './clean-up.js';
import { testRun } from '../test-run.js';

export interface LiveMongo {
  readonly uri: string;
  /** A database for this file or test alone; dropped when the file, or the test that asked for it, is done. */
  readonly db: string;
}

export interface LiveRedis {
  readonly url: string;
  /** A QUEUE_PREFIX for this file or test alone; its keys are removed when the file, or the test that asked for it, is done. */
  readonly prefix: string;
  /** Removes the keys with this prefix, as a Redis that lost everything would. `FLUSHALL` would take those of every other spec. */
  readonly wipe: () => Promise<void>;
}

/** The run's MongoDB with a fresh database name. Call it at the top of a spec file or of a `describe`, or in a test. */
export function liveMongo(): LiveMongo {
  const { mongodbUri: uri } = testRun();
  const db = `weft_test_${suffix()}`;
  cleanUpWith(async () => {
    const client = await mongoose.mongo.MongoClient.connect(uri, { maxPoolSize: 1 });
    await client.db(db).dropDatabase();
    await client.close();
  });
  return { uri, db };
}

/** The run's Redis with a fresh prefix. Call it at the top of a spec file or of a `describe`, or in a test. */
export function liveRedis(): LiveRedis {
  const { redisUrl: url } = testRun();
  const prefix = `weft-test-${suffix()}`;
  const wipe = async (): Promise<void> => {
    const redis = new Redis(url);
    for await (const keys of redis.scanStream({ match: `*${prefix}*`, count: 1_000 }) as AsyncIterable<string[]>) {
      if (keys.length > 0) await redis.unlink(keys);
    }
    await redis.quit();
  };
  cleanUpWith(wipe);
  return { url, prefix, wipe };
}

function suffix(): string {
  return randomBytes(6).toString('hex');
}
