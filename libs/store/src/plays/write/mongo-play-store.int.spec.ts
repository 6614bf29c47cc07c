import { numberEvents, type Play, type PlayKey, type PlayWrite } from '@weft/engine';
import { bsonBytes, createIdSource, lastIdAt } from '@weft/kernel';
import { aPlay, liveMongo, playStoreContract, privateMongod } from '@weft/testing';
import mongoose, { type mongo as driver } from 'mongoose';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../../driver/mongo.js';
import { SystemScope } from '../../scope.js';
import { isStoreUnavailable } from '../../driver/store-unavailable.js';
import { MongoPlayStore } from './mongo-play-store.js';
import { PlayMovesRepository } from '../reads/play-moves.repository.js';
import { PLAYS } from '../play.schema.js';

const newId = createIdSource(() => Date.now(), 1);

function newPlay(key: string | null = null): Play {
  return aPlay({ playId: newId(), idempotencyKey: key });
}

const playKeyOf = (play: Play): PlayKey => ({ playId: play._id, companyId: play.company_id, flowId: play.flowId });

function claim(play: Play, owner: string, at = new Date()): PlayWrite {
  return {
    match: { epoch: play.epoch, seq: play.seq, states: ['NEW', 'RUN'], owner: null },
    set: { state: 'RUN', owner, seq: play.seq + 1 },
    unset: ['strict'],
    touch: ['heartbeatAt'],
    layers: [],
    log: numberEvents(play.seq, [{ type: 'state', from: 'NEW', state: 'RUN', at }]),
  };
}

describe('MongoPlayStore', () => {
  const live = liveMongo();
  let mongo: Mongo;
  const batches: [string, number][] = [];
  let store: MongoPlayStore;

  beforeAll(async () => {
    mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
    await ensureIndexes(mongo);
    store = new MongoPlayStore(mongo, {
      outcomePatienceMs: 5_000,
      onBatch: (operation, size) => batches.push([operation, size]),
    });
  });
  afterAll(() => mongo.close());

  playStoreContract(() => Promise.resolve(store));

  it('stores what arrives together in few round trips', async () => {
    batches.length = 0;
    const plays = Array.from({ length: 200 }, () => newPlay());
    await Promise.all(plays.map((play) => store.accept(play)));
    const accepts = batches.filter(([operation]) => operation === 'accept');
    expect(accepts.reduce((sum, [, size]) => sum + size, 0)).toBe(200);
    expect(accepts.length).toBeLessThan(20);
  });

  it('tells, of a batch in which some writes are refused, each one its own outcome', async () => {
    const plays = await Promise.all(Array.from({ length: 20 }, async () => (await store.accept(newPlay())).play));
    for (const play of plays.slice(0, 10)) await store.write(playKeyOf(play), claim(play, 'other:1'));
    const outcomes = await Promise.all(plays.map((play, i) => store.write(playKeyOf(play), claim(play, `me:${i}`))));
    expect(outcomes).toEqual([...Array<boolean>(10).fill(false), ...Array<boolean>(10).fill(true)]);
  });

  it('asks little of a batch in which one write is refused, whatever the plays hold', async () => {
    const long = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const play = (await store.accept(newPlay())).play;
        const log = numberEvents(
          play.seq,
          Array.from({ length: 200 }, () => ({ type: 'claimed' as const, at: new Date() })),
        );
        const layers = Array.from({ length: 20 }, () => ({ by: 'other:1', out: 'x'.repeat(10_000) }));
        const write = { ...claim(play, 'other:1'), layers, log } as unknown as PlayWrite;
        expect(await store.write(playKeyOf(play), { ...write, set: { state: 'RUN', seq: 201, cursor: 20 } })).toBe(
          true,
        );
        return { ...play, state: 'RUN' as const, seq: 201 };
      }),
    );
    const [refused] = long;
    if (refused) await store.write(playKeyOf(refused), claim(refused, 'other:2'));
    const read: number[] = [];
    const count = ({ commandName, reply }: { commandName: string; reply: object }) =>
      commandName === 'find' && read.push(bsonBytes(reply));
    mongo.connection.getClient().on('commandSucceeded', count);
    const outcomes = await Promise.all(long.map((play, i) => store.write(playKeyOf(play), claim(play, `me:${i}`))));
    mongo.connection.getClient().off('commandSucceeded', count);
    expect(outcomes).toEqual([false, ...Array<boolean>(49).fill(true)]);
    expect(read).toHaveLength(1);
    expect(read[0]).toBeLessThan(50 * 300);
  });

  it('lets a move be found that was on its way for so long that its play is not young any more', async () => {
    const moves = new PlayMovesRepository(mongo);
    const found = async (since: number, { _id, company_id }: Play) =>
      (await moves.movedSince(new SystemScope('spec'), [company_id], since)).some((play) => play._id === _id);
    const made = mongo.serverNow() - 16_000;
    const play = { ...newPlay(), _id: lastIdAt(made), company_id: newId() };
    const early = new MongoPlayStore(Object.create(mongo, { serverNow: { value: () => made + 9_000 } }) as Mongo, {
      outcomePatienceMs: 0,
    });
    await store.accept(play);
    const since = mongo.serverNow();
    expect(await found(since, play)).toBe(false);
    expect(await early.write(playKeyOf(play), claim(play, 'me:1'))).toBe(true);
    expect(await found(since, play)).toBe(true);
    expect(await early.write(playKeyOf(play), claim(play, 'me:2'))).toBe(false);
  });

  it('lets a play be found that was over as it was accepted, and was on its way for long', async () => {
    const made = mongo.serverNow() - 16_000;
    const since = mongo.serverNow();
    const stalled = Object.create(mongo, { serverNow: { value: () => made + 9_000 } }) as Mongo;
    for (const idMs of [made, made - 5_000]) {
      const open = newPlay();
      const log = [...open.log, ...numberEvents(1, [{ type: 'end', state: 'SKIP', at: new Date() }])];
      const play: Play = { ...open, _id: lastIdAt(idMs), company_id: newId(), state: 'SKIP', seq: 2, log };
      await new MongoPlayStore(stalled, { outcomePatienceMs: 0 }).accept(play);
      const found = await new PlayMovesRepository(mongo).movedSince(new SystemScope('spec'), [play.company_id], since);
      expect(found.map(({ _id }) => _id)).toContain(play._id);
    }
  });

  it('finds the holders of many keys in few round trips, by the index that binds them', async () => {
    const first = await Promise.all(Array.from({ length: 600 }, (_, i) => store.accept(newPlay(`many ${i}`))));
    batches.length = 0;
    await mongo.db.command({ profile: 2 });
    const again = await Promise.all(first.map(({ play }) => store.accept(newPlay(play.key))));
    await mongo.db.command({ profile: 0 });
    expect(again).toEqual(first.map(({ play }) => ({ play, replayed: true })));
    expect(batches.length).toBeLessThan(10);
    const queries = await mongo
      .collection('system.profile')
      .find({ op: 'query', ns: `${live.db}.${PLAYS}` })
      .toArray();
    expect(queries.length).toBeGreaterThan(0);
    for (const { planSummary } of queries) expect(planSummary).toContain('key: 1');
  });

  it('takes an insert that is made again after a lost answer for its own', async () => {
    const play = newPlay('key-of-a-lost-answer');
    await store.accept(play);
    expect(await store.accept(play)).toEqual({ play, replayed: false, wasThere: true });
  });

  const chain = (first: string, nth = 1) => ({ first, nth, at: new Date() });

  it('stores one retry of a play, in each company, and any number of reruns; a second one is answered with it', async () => {
    const retry = (over: Partial<Play> = {}): Play => ({ ...newPlay(), retryOf: 'failed', ...over });
    const first = retry({ chain: chain('failed') });
    expect(await store.accept(first)).toEqual({ play: first, replayed: false });
    // with a lost answer
    expect(await store.accept(first)).toEqual({ play: first, replayed: false, wasThere: true });
    const [second, rerun] = [retry({ chain: chain('failed') }), retry()];
    expect(await store.accept(second)).toMatchObject({ play: { _id: first._id }, replayed: true });
    expect(await store.accept(rerun)).toEqual({ play: rerun, replayed: false });
    for (const over of [{ company_id: 'another', chain: chain('failed') }, { chain: chain('failed', 2) }]) {
      const other = retry(over);
      expect(await store.accept(other)).toEqual({ play: other, replayed: false });
    }
  });

  it.each([
    ['a layer', { layer: 3 }],
    ['an item of a loop', { layer: 3, item: 7 }],
  ])('stores one play of %s; a second one is answered with it', async (_of, place) => {
    const parentPlayId = newPlay()._id;
    const child = (fields: object = {}): Play => ({
      ...{ ...newPlay(), parentPlayId },
      parent: { flowId: 'f', first: parentPlayId, nth: 0, depth: 1, ...place, ...fields },
    });
    const [first, second] = [child(), child()];
    expect(await store.accept(first)).toEqual({ play: first, replayed: false });
    expect(await store.accept(second)).toMatchObject({ play: { _id: first._id }, replayed: true });
    const ofRetry = { ...child({ nth: 1 }), parentPlayId: 'retry' };
    expect(await store.accept(ofRetry)).toEqual({ play: ofRetry, replayed: false });
  });

  it.each(['write', 'writeEnd'] as const)(
    'takes what it has stored for its own, by %s, also when MongoDB executes it after a look',
    async (by) => {
      // the first update is on its way until somebody has looked whether it was executed
      let late: driver.Document | undefined;
      const command = async (sent: driver.Document, options?: driver.RunCommandOptions) => {
        if (late || (sent.update !== PLAYS && sent.findAndModify !== PLAYS)) return mongo.db.command(sent, options);
        late = sent;
        throw new mongoose.mongo.MongoNetworkError('the answer is lost');
      };
      let looks = 0;
      const find = (...ask: Parameters<driver.Collection<Play>['find']>) => ({
        toArray: async () => {
          const found = await mongo
            .collection<Play>(PLAYS)
            .find(...ask)
            .toArray();
          looks += 1;
          if (looks === 1 && late) await mongo.db.command(late, { ignoreUndefined: true });
          return found;
        },
      });
      const frozen = Object.create(mongo, {
        db: { value: { command } },
        collection: { value: () => ({ find }) },
      }) as Mongo;
      const worker = new MongoPlayStore(frozen, { outcomePatienceMs: 60_000 });
      const { play } = await store.accept(newPlay());
      const end = { ...claim(play, 'me:1'), touch: ['completedAt'] as const };
      const written = await worker[by](playKeyOf(play), end);
      expect(by === 'write' ? { isStored: written } : written).toMatchObject({ isStored: true });
      expect(looks).toBeGreaterThan(1);
      expect(await store.find(playKeyOf(play))).toMatchObject({ owner: 'me:1', seq: play.seq + 1 });
    },
  );

  it('says that the retry of a play is there also when that has the key', async () => {
    const keyed = { ...newPlay('key-of-retries'), retryOf: 'keyed', chain: chain('keyed') } as const;
    await store.accept(keyed);
    const second = { ...newPlay('key-of-retries'), retryOf: 'keyed', chain: chain('keyed') } as const;
    expect(await store.accept(second)).toMatchObject({ play: { _id: keyed._id }, replayed: true });
    expect(await mongo.collection<Play>(PLAYS).countDocuments({ retryOf: 'keyed' })).toBe(1);
  });
});

describe('MongoPlayStore while MongoDB is away', () => {
  it('says so to an accept, and clears up a write once MongoDB is back', async () => {
    const server = await privateMongod();
    const mongo = await Mongo.open({ uri: server.uri, db: 'weft', appName: 'test' });
    await ensureIndexes(mongo);
    const api = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
    const worker = new MongoPlayStore(mongo, { outcomePatienceMs: Number.POSITIVE_INFINITY });
    const { play } = await api.accept(newPlay());

    await server.kill('SIGKILL');
    const written = worker.write(playKeyOf(play), claim(play, 'me:1'));
    const refused = await api.accept(newPlay()).catch((error: unknown) => error);
    expect(isStoreUnavailable(refused)).toBe(true);

    await server.start();
    // stored or not, the answer is the truth
    const applied = await written;
    const stored = await worker.find(playKeyOf(play));
    expect(stored?.owner).toBe(applied ? 'me:1' : undefined);
    expect(await worker.write(playKeyOf(play), claim(play, 'me:2'))).toBe(!applied);
    await mongo.close();
    await server.stop();
  });

  it('does not wait for ever when its connection ended unnoticed just before', async () => {
    const server = await privateMongod();
    const sockets: Socket[] = [];
    const note = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', note);
    const mongo = await Mongo.open({ uri: server.uri, db: 'weft', appName: 'test' });
    await ensureIndexes(mongo);
    const worker = new MongoPlayStore(mongo, { outcomePatienceMs: Number.POSITIVE_INFINITY, answerWithinMs: 500 });
    const { play } = await worker.accept(newPlay());
    const key = playKeyOf(play);

    const found = worker.find(key);
    // After the batch's own setImmediate was asked for, and before it comes: the driver hears of it a turn later.
    for (const socket of sockets) socket.destroy();
    await expect(found).rejects.toSatisfy(isStoreUnavailable);
    expect(await worker.write(key, claim(play, 'me:1'))).toBe(true);
    expect((await worker.find(key))?.owner).toBe('me:1');
    unsubscribe('net.client.socket', note);
    await mongo.close();
  });
});
