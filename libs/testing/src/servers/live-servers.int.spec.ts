import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { afterAll, expect, it } from 'vitest';
import { liveMongo, liveRedis } from './live-servers.js';

const mongo = liveMongo();
const own = liveRedis();
const client = await mongoose.mongo.MongoClient.connect(mongo.uri);
const redis = new Redis(own.url);
afterAll(async () => {
  await client.close();
  await redis.quit();
});

it('provides a replica set: transactions commit', async () => {
  const items = client.db(mongo.db).collection<{ _id: string }>('items');
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await items.insertOne({ _id: 'a' }, { session });
      await items.insertOne({ _id: 'b' }, { session });
    }),
  );
  expect(await items.countDocuments()).toBe(2);
});

it('gives each file names of its own', () => {
  expect(liveMongo().db).not.toBe(mongo.db);
});

it('provides a Redis that neither forgets nor evicts', async () => {
  expect(await redis.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
  expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
});

it('wipes the keys of one file, and of no other', async () => {
  const other = liveRedis();
  const keys = [`${own.prefix}:key`, `bull:${own.prefix}-1:{queue}`, `${other.prefix}:key`];
  await redis.mset(...keys.flatMap((key) => [key, 'there']));
  await own.wipe();
  expect(await redis.mget(keys)).toEqual([null, null, 'there']);
});
