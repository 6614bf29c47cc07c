import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { afterAll } from 'vitest';
import { testRun } from './test-run.js';

export interface LiveMongo {
  readonly uri: string;
  /** A database that nobody else uses; dropped after the file's last test. */
  readonly db: string;
}

export interface LiveRedis {
  readonly url: string;
  /** A QUEUE_PREFIX that nobody else uses; its keys are removed after the file's last test. */
  readonly prefix: string;
}

/** The run's MongoDB with a fresh database name. Call it at the top of a spec file or of a `describe`. */
export function liveMongo(): LiveMongo {
  const { mongodbUri: uri } = testRun();
  const db = `weft_test_${suffix()}`;
  afterAll(async () => {
    const client = await mongoose.mongo.MongoClient.connect(uri, { maxPoolSize: 1 });
    await client.db(db).dropDatabase();
    await client.close();
  });
  return { uri, db };
}

/** The run's Redis with a fresh prefix. Call it at the top of a spec file or of a `describe`. */
export function liveRedis(): LiveRedis {
  const { redisUrl: url } = testRun();
  const tag = `weft-test-${suffix()}`;
  afterAll(async () => {
    const redis = new Redis(url);
    for await (const keys of redis.scanStream({ match: `*${tag}*`, count: 1_000 }) as AsyncIterable<string[]>) {
      if (keys.length > 0) await redis.unlink(keys);
    }
    await redis.quit();
  });
  return { url, prefix: tag };
}

function suffix(): string {
  return randomBytes(6).toString('hex');
}
