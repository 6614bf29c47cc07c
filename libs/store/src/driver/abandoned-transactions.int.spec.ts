import { liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, expect, it } from 'vitest';
import { AbandonedTransactions } from './abandoned-transactions.js';
import { Mongo } from './mongo.js';

const { uri, db } = liveMongo();
const [scheduler, api] = await Promise.all(
  ['weft-scheduler', 'weft-api'].map((appName) => Mongo.open({ uri, db, appName })),
);
// what a killed process leaves: nobody ends its transaction
const dead = await new mongoose.mongo.MongoClient(uri, { appName: 'weft-api' }).connect();
afterAll(() => Promise.all([scheduler?.close(), api?.close(), dead.close()]));

interface Doc {
  readonly _id: string;
  readonly n: number;
}
const docs = (api as Mongo).collection<Doc>('docs');
const clock = { ms: 0 };
const abandoned = new AbandonedTransactions(scheduler as Mongo, 2_000, () => clock.ms);
const passAt = (ms: number) => {
  clock.ms = ms;
  return abandoned.pass();
};

async function begin(_id: string) {
  const session = dead.startSession();
  session.startTransaction();
  const change = () =>
    dead
      .db(db)
      .collection<Doc>('docs')
      .updateOne({ _id }, { $inc: { n: 1 } }, { session });
  await change();
  return { change, abort: () => session.abortTransaction() };
}

it('ends a transaction in which nothing happens any more, and no other one: what it had changed can be written again', async () => {
  await docs.insertMany([
    { _id: 'a', n: 0 },
    { _id: 'b', n: 0 },
  ]);
  await begin('a');
  const living = await begin('b');
  const write = docs.updateOne({ _id: 'a' }, { $inc: { n: 10 } });
  expect(await passAt(0)).toBe(0);
  await living.change();
  expect(await passAt(1_900)).toBe(0);
  expect(await passAt(2_100)).toBe(1);
  await write;
  expect(await docs.findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 10 });
  await living.change();
  await living.abort();
});

it('leaves to the driver to begin anew what it has ended of a process that only stood still', async () => {
  await docs.insertOne({ _id: 'c', n: 0 });
  let attempts = 0;
  const frozen = Promise.withResolvers<undefined>();
  const thawed = Promise.withResolvers<undefined>();
  const done = (api as Mongo).transaction(async (session) => {
    attempts += 1;
    await docs.updateOne({ _id: 'c' }, { $inc: { n: 1 } }, { session });
    frozen.resolve(undefined);
    await thawed.promise;
  });
  await frozen.promise;
  await passAt(10_000);
  expect(await passAt(12_000)).toBe(1);
  thawed.resolve(undefined);
  await done;
  expect([attempts, await docs.findOne({ _id: 'c' })]).toEqual([2, { _id: 'c', n: 1 }]);
});
