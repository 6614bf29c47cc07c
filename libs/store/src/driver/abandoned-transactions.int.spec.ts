import { liveMongo } from '@weft/testing';
import mongoose, { type mongo } from 'mongoose';
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
  return { change, session };
}

/** A scheduler that stands still once it knows what MongoDB does. */
function standingStill(meanwhile: () => Promise<unknown>): Mongo {
  const client = (scheduler as Mongo).connection.getClient();
  const command = async (asked: mongo.Document, options: mongo.RunCommandOptions): Promise<mongo.Document> => {
    const reply = await client.db('admin').command(asked, options);
    if ('aggregate' in asked) await meanwhile();
    return reply;
  };
  const standing = { db: () => ({ command }), withSession: client.withSession.bind(client) };
  return { connection: { getClient: () => standing }, deadline: () => AbortSignal.timeout(10_000) } as unknown as Mongo;
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
  await living.session.abortTransaction();
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

it('leaves alone what a process that lives does in the same session by then', async () => {
  await docs.insertOne({ _id: 'd', n: 0 });
  const living = await begin('d');
  let meanwhile = () => Promise.resolve();
  const late = new AbandonedTransactions(
    standingStill(() => meanwhile()),
    2_000,
    () => clock.ms,
  );
  clock.ms = 20_000;
  expect(await late.pass()).toBe(0);
  clock.ms = 23_000;
  meanwhile = async () => {
    await living.session.commitTransaction();
    living.session.startTransaction();
    await living.change();
  };
  expect(await late.pass()).toBe(0);
  await living.session.commitTransaction();
  expect(await docs.findOne({ _id: 'd' })).toEqual({ _id: 'd', n: 2 });
});

it('counts no time in which this process stood still itself', async () => {
  await docs.insertOne({ _id: 'f', n: 0 });
  const living = await begin('f');
  const late = new AbandonedTransactions(
    standingStill(() => Promise.resolve((clock.ms += 5_000))),
    2_000,
    () => clock.ms,
  );
  expect(await late.pass()).toBe(0);
  expect(await late.pass()).toBe(0);
  await living.change();
  await living.session.abortTransaction();
});
