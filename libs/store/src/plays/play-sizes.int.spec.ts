import { acceptPlay, numberEvents, UnstorableError, type Play, type PlayKey, type PlayWrite } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../driver/mongo.js';
import { MongoPlayStore } from './write/mongo-play-store.js';
import { PLAYS } from './play.schema.js';

const newId = createIdSource(() => Date.now(), 2);
/** 16 KB as JSON, five times as much in a document. */
const NUMBERS = Array<number>(8_000).fill(1);

function newPlay(args: Play['args'] = {}): Play {
  const at = { serverNow: new Date(), dueAt: null, idempotencyKey: null };
  const who = { companyId: 'c', flowId: 'f', version: 1, trigger: 'api', triggeredBy: null } as const;
  return acceptPlay({ ...at, ...who, playId: newId(), args });
}

const playKeyOf = (play: Play): PlayKey => ({ playId: play._id, companyId: play.company_id, flowId: play.flowId });

/** A write with one event, and what else is given. */
function write(play: Play, more: Partial<PlayWrite>): PlayWrite {
  return {
    match: { epoch: play.epoch, seq: play.seq, states: ['NEW', 'RUN'] },
    set: { seq: play.seq + 1 },
    unset: [],
    touch: [],
    layers: [],
    log: numberEvents(play.seq, [{ type: 'claimed', at: new Date() }]),
    ...more,
  };
}

const answer = (payload: unknown): Partial<PlayWrite> => ({ inbox: { position: 0, payload } });

describe('MongoPlayStore and the sizes that MongoDB takes', () => {
  const live = liveMongo();
  let mongo: Mongo;
  let store: MongoPlayStore;

  beforeAll(async () => {
    mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
    await ensureIndexes(mongo);
    store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
  });
  afterAll(() => mongo.close());

  it('accepts many plays at once that are small as JSON and large in MongoDB', async () => {
    const plays = Array.from({ length: 300 }, () => newPlay({ a: NUMBERS }));
    const accepted = await Promise.all(plays.map((play) => store.accept(play)));
    expect(accepted.every(({ replayed }) => !replayed)).toBe(true);
  });

  it('stores many large answers at once', async () => {
    const plays = await Promise.all(Array.from({ length: 40 }, async () => (await store.accept(newPlay())).play));
    const text = 'x'.repeat(500_000);
    const stored = await Promise.all(plays.map((play) => store.write(playKeyOf(play), write(play, answer(text)))));
    expect(stored).toEqual(Array<boolean>(40).fill(true));
  });

  it('refuses a write that would make its play larger than a document, and no write beside it', async () => {
    const full = newPlay({ text: 'x'.repeat(16_700_000) });
    await mongo.collection<Play>(PLAYS).insertOne(full);
    const others = await Promise.all(Array.from({ length: 10 }, async () => (await store.accept(newPlay())).play));
    const refused = store
      .write(playKeyOf(full), write(full, answer('x'.repeat(100_000))))
      .catch((error: unknown) => error);
    const beside = await Promise.all(others.map((play) => store.write(playKeyOf(play), write(play, answer('small')))));
    expect(beside).toEqual(Array<boolean>(10).fill(true));

    expect(await refused).toBeInstanceOf(UnstorableError);
    expect(await refused).toMatchObject({ why: 'too_large', code: 'value_too_large' });
    expect((await store.find(playKeyOf(full)))?.seq).toBe(1);
  });

  it('refuses what no command can carry, and nothing that shares its batch', async () => {
    const { play } = await store.accept(newPlay());
    const others = await Promise.all(Array.from({ length: 10 }, async () => (await store.accept(newPlay())).play));
    const all = await Promise.allSettled([
      store.write(playKeyOf(play), write(play, answer('x'.repeat(17_000_000)))),
      ...others.map((other) => store.write(playKeyOf(other), write(other, answer('small')))),
    ]);
    expect(all[0]).toMatchObject({ status: 'rejected', reason: { why: 'too_large' } });
    expect(all.slice(1)).toEqual(Array(10).fill({ status: 'fulfilled', value: true }));
  });

  it.each([
    ['a key with a NUL', { 'a\0b': 1 }],
    ["one of the driver's own keys", { _bsontype: 'X' }],
  ])('refuses a play with %s alone: those that are inserted with it are stored', async (_what, args) => {
    const others = Array.from({ length: 10 }, () => newPlay());
    const all = await Promise.allSettled([newPlay(args), ...others].map((play) => store.accept(play)));
    expect(all[0]).toMatchObject({ status: 'rejected', reason: { why: 'not_storable' } });
    expect(all.slice(1).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('refuses a play that is larger than a document', async () => {
    await expect(store.accept(newPlay({ text: 'x'.repeat(16_900_000) }))).rejects.toMatchObject({ why: 'too_large' });
  });
});
