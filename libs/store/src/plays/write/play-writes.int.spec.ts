import { endWrite, numberEvents, UnstorableError, type Play, type PlayKey, type PlayWrite } from '@weft/engine';
import { createIdSource, lastIdAt } from '@weft/kernel';
import { aPlay, liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../../driver/mongo.js';
import { MongoPlayStore } from './mongo-play-store.js';
import { PLAYS } from '../play.schema.js';

const newId = createIdSource(() => Date.now(), 1);
const ERROR = { code: 'cancelled', message: 'spec', ref: null } as const;
const live = liveMongo();
let mongo: Mongo;
let store: MongoPlayStore;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
  await store.find(keyOf(aPlay())); // the first read of a process makes a write before
});
afterAll(() => mongo.close());

const keyOf = (play: Play): PlayKey => ({ playId: play._id, companyId: play.company_id, flowId: play.flowId });
const accepted = async (playId = newId()) => (await store.accept(aPlay({ playId }))).play;
const many = (count: number) => Promise.all(Array.from({ length: count }, () => accepted()));
const end = (play: Play) => endWrite(play, ERROR, new Date());
const refused = (write: PlayWrite): PlayWrite => ({ ...write, match: { ...write.match, epoch: 0 } });
const endOf = async (play: Play) => (await store.find(keyOf(play)))?.completedAt;

/** Names of the commands that it takes. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const note = ({ commandName }: { commandName: string }) => names.push(commandName);
  mongo.connection.getClient().on('commandStarted', note);
  await work().finally(() => mongo.connection.getClient().off('commandStarted', note));
  return names.filter((name) => name === 'update' || name === 'findAndModify' || name === 'find');
}

describe('ends of which the time is wanted', () => {
  it('share a command with other writes, and a read of the times', async () => {
    const [first, second, another, ...others] = await many(8);
    if (!first || !second || !another) throw new Error('three plays are there');
    const outcomes: unknown[] = [];
    const commands = await commandsOf(async () =>
      outcomes.push(
        ...(await Promise.all([
          store.writeEnd(keyOf(first), end(first)),
          ...others.map((play, i) => store.write(keyOf(play), i === 1 ? refused(end(play)) : end(play))),
          store.writeEnd(keyOf(second), refused(end(second))),
          store.writeEnd(keyOf(another), end(another)),
        ])),
      ),
    );
    expect(outcomes).toEqual([
      { isStored: true, completedAt: await endOf(first) },
      ...[true, false, true, true, true],
      { isStored: false },
      { isStored: true, completedAt: await endOf(another) },
    ]);
    expect(await endOf(first)).toBeInstanceOf(Date);
    // one read looks up the two that are refused, one has the times
    expect(commands).toEqual(['update', 'find', 'find']);
    expect([await endOf(second), await endOf(others[1] ?? second)]).toEqual([undefined, undefined]);
  });

  it('fail alone when MongoDB cannot hold them', async () => {
    const [good, bad] = await many(2);
    if (!good || !bad) throw new Error('two plays are there');
    let deep: unknown = 'x';
    for (let i = 0; i < 200; i += 1) deep = [deep];
    const write = end(bad);
    const unstorable = { ...write, set: { ...write.set, error: { ...ERROR, details: deep } } } as PlayWrite;
    const [ended, failed] = await Promise.allSettled([
      store.writeEnd(keyOf(good), end(good)),
      store.writeEnd(keyOf(bad), unstorable),
    ]);
    expect(ended).toEqual({ status: 'fulfilled', value: { isStored: true, completedAt: await endOf(good) } });
    expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(UnstorableError) as Error });
    expect(await endOf(bad)).toBeUndefined();
  });

  it('are stored also when they were on their way for so long that their plays are not young any more', async () => {
    const made = mongo.serverNow() - 16_000;
    const play = await accepted(lastIdAt(made));
    const early = new MongoPlayStore(Object.create(mongo, { serverNow: { value: () => made + 9_000 } }) as Mongo, {
      outcomePatienceMs: 0,
    });
    expect(await early.writeEnd(keyOf(play), end(play))).toMatchObject({ isStored: true });
    expect(await endOf(play)).toBeInstanceOf(Date);
  });
});

/** A store whose first write gets no answer. Then it has a new primary, which shows plays as they were until a majority answers it. */
function storeOfNewPrimary(old: readonly Play[]) {
  let [election, hasMajority] = ['first', true];
  const plays = mongo.collection<Play>(PLAYS);
  const outdated = Object.create(plays, {
    find: {
      value: (...args: Parameters<typeof plays.find>) =>
        hasMajority ? plays.find(...args) : { toArray: () => Promise.resolve(old.map(lookOf)) },
    },
  }) as typeof plays;
  const command = async (...args: Parameters<typeof mongo.db.command>) => {
    const reply = await mongo.db.command(...args);
    if (election === 'first') {
      [election, hasMajority] = ['second', false];
      throw new mongoose.mongo.MongoNetworkError('the answer was lost');
    }
    hasMajority = true;
    return reply;
  };
  const stub = Object.create(mongo, {
    collection: { value: () => outdated },
    db: { value: { command } },
    election: { get: () => election },
  }) as Mongo;
  return new MongoPlayStore(stub, { outcomePatienceMs: Number.POSITIVE_INFINITY });
}

const lookOf = ({ _id, epoch, seq, cursor }: Play) => ({ _id, epoch, seq, cursor });

describe('a write whose outcome is looked for at a new primary that shows less than was acknowledged', () => {
  const claim = (play: Play): PlayWrite => ({
    match: { epoch: play.epoch, seq: play.seq, states: ['NEW'], owner: null },
    set: { state: 'RUN', owner: 'me:1', seq: play.seq + 1 },
    ...{ unset: [], touch: ['heartbeatAt'], layers: [] },
    log: numberEvents(play.seq, [{ type: 'state', from: 'NEW', state: 'RUN', at: new Date() }]),
  });

  it.each([
    [true, true],
    [true, false],
    [false, true],
  ])('is found when it shows all: stored is %s, the play is shown at first %s', async (isStored, isShown) => {
    const play = await accepted();
    await store.write(keyOf(play), claim(play));
    const claimed = { ...play, state: 'RUN', seq: 2, epoch: 1 } as const;
    const write = end(claimed);
    // its answer was lost, or another writer came first
    if (!isStored) expect(await store.write(keyOf(play), endWrite(claimed, ERROR, new Date(0)))).toBe(true);
    expect(await storeOfNewPrimary(isShown ? [play] : []).write(keyOf(play), write)).toBe(isStored);
  });
});
