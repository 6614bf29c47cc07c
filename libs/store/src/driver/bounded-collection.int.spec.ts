import { privateMongod } from '@weft/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Mongo } from './mongo.js';
import { PayloadStore } from '../plays/payloads/payload.store.js';
import { TenantScope } from '../scope.js';
import { isStoreUnavailable } from './store-unavailable.js';

const WITHIN_MS = 300;
/** What no limit of ours would end: the driver gives a silent server up after seven seconds. */
const DRIVER_MS = 6_000;

const server = await privateMongod();
let mongo: Mongo;
beforeAll(async () => {
  mongo = await Mongo.open({ uri: server.uri, db: 'weft', appName: 'test', answerWithinMs: WITHIN_MS });
  await mongo.collection('things').insertOne({ n: 1 });
});
afterAll(() => mongo.close());
afterEach(() => server.kill('SIGCONT'));

const things = () => mongo.collection<{ _id: string; n: number }>('things');

/** Its threads stop a little after the signal. */
async function freeze(): Promise<void> {
  await server.kill('SIGSTOP');
  const answers = () => mongo.db.command({ ping: 1 }, { signal: AbortSignal.timeout(50) }).catch(() => null);
  while ((await answers()) !== null);
}

/** The error of what is asked of a frozen server, and whether it came before the driver itself would have given it up. */
async function whileFrozen(ask: () => Promise<unknown>): Promise<{ error: unknown; inTime: boolean }> {
  await freeze();
  const startedMs = performance.now();
  const error = await ask().then(
    () => 'it was answered',
    (reason: unknown) => reason,
  );
  return { error, inTime: performance.now() - startedMs < DRIVER_MS };
}

describe('a MongoDB that is frozen', () => {
  it.each<readonly [string, () => Promise<unknown>]>([
    ['find', () => things().find({}).toArray()],
    ['findOne', () => things().findOne({})],
    [
      'aggregate',
      () =>
        things()
          .aggregate([{ $match: {} }])
          .toArray(),
    ],
    ['countDocuments', () => things().countDocuments({})],
    ['distinct', () => things().distinct('n')],
    ['insertOne', () => things().insertOne({ _id: 'a', n: 1 })],
    ['insertMany', () => things().insertMany([{ _id: 'b', n: 1 }])],
    ['updateOne', () => things().updateOne({ n: 1 }, { $set: { n: 1 } })],
    ['updateMany', () => things().updateMany({ n: 1 }, { $set: { n: 1 } })],
    ['replaceOne', () => things().replaceOne({ n: 1 }, { n: 1 })],
    ['deleteOne', () => things().deleteOne({ n: 2 })],
    ['deleteMany', () => things().deleteMany({ n: 2 })],
    ['findOneAndUpdate', () => things().findOneAndUpdate({ n: 1 }, { $set: { n: 1 } })],
    ['findOneAndReplace', () => things().findOneAndReplace({ n: 1 }, { n: 1 })],
    ['findOneAndDelete', () => things().findOneAndDelete({ n: 2 })],
    ['bulkWrite', () => things().bulkWrite([{ updateOne: { filter: { n: 1 }, update: { $set: { n: 1 } } } }])],
    ['the clock', () => mongo.hearClock()],
    ['a transaction', () => mongo.transaction((session) => things().insertOne({ _id: 'c', n: 1 }, { session }))],
  ])('ends %s within its limit, as an unreachable store', async (_what, ask) => {
    const { error, inTime } = await whileFrozen(ask);
    expect(isStoreUnavailable(error)).toBe(true);
    expect(inTime).toBe(true);
  });

  it('ends a transaction that is frozen at its commit', async () => {
    const { error, inTime } = await whileFrozen(async () => {
      await server.kill('SIGCONT');
      await mongo.transaction(async (session) => {
        await things().insertOne({ _id: 'committed?', n: 1 }, { session });
        await freeze();
      });
    });
    expect(isStoreUnavailable(error)).toBe(true);
    expect(inTime).toBe(true);
  });

  it('ends the upload of a large payload, whose command waits for room in the connection', async () => {
    const payloads = new PayloadStore(mongo);
    const { error, inTime } = await whileFrozen(() =>
      payloads.put(new TenantScope('c'), { playId: 'p', flowId: 'f' }, Buffer.alloc(40_000_000)),
    );
    expect(isStoreUnavailable(error)).toBe(true);
    expect(inTime).toBe(true);
  });
});

describe('a transaction', () => {
  it('is repeated as before when it met another one', async () => {
    // with the time that the product gives it: a busy machine is not a frozen one
    const patient = await Mongo.open({ uri: server.uri, db: 'weft', appName: 'test' });
    const counters = patient.collection<{ _id: string; n: number }>('things');
    const increment = () =>
      patient.transaction(async (session) => {
        const { n = 0 } = (await counters.findOne({ _id: 'counter' }, { session })) ?? {};
        await counters.updateOne({ _id: 'counter' }, { $set: { n: n + 1 } }, { session, upsert: true });
      });
    await increment();
    await Promise.all([increment(), increment(), increment()]);
    expect(await counters.findOne({ _id: 'counter' })).toMatchObject({ n: 4 });
    await patient.close();
  });
});
