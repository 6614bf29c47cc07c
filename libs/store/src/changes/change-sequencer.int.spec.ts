import { acceptPlay, numberEvents, type Play, type PlayWrite } from '@weft/engine';
import { createIdSource, lastIdAt } from '@weft/kernel';
import { liveMongo } from '@weft/testing';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../driver/mongo.js';
import { MongoPlayStore } from '../plays/write/mongo-play-store.js';
import { playKeyOf } from '../plays/play-keys.js';
import { PLAYS } from '../plays/play.schema.js';
import { TenantScope } from '../scope.js';
import { CHANGE_BATCHES, type ChangeBatchDocument } from './change-batch.schema.js';
import { ChangeFeedsRepository } from './change-feeds.repository.js';
import { ChangeLog } from './change-log.js';
import { ChangeSequencer, FIRST_LIVE } from './change-sequencer.js';

const newId = createIdSource(() => Date.now(), 1);

function newPlay({ companyId }: TenantScope): Play {
  return acceptPlay({
    ...{ playId: newId(), companyId, flowId: newId(), version: 1, args: {}, idempotencyKey: null, dueAt: null },
    ...{ trigger: 'api', triggeredBy: null, serverNow: new Date() },
  });
}

const live = liveMongo();
let mongo: Mongo;
let store: MongoPlayStore;
let feeds: ChangeFeedsRepository;
let log: ChangeLog;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  store = new MongoPlayStore(mongo, { outcomePatienceMs: 5_000 });
  feeds = new ChangeFeedsRepository(mongo);
  log = new ChangeLog(mongo);
});
afterAll(() => mongo.close());

const plays = () => mongo.collection<Play>(PLAYS);

function move({ epoch, seq, state }: Pick<Play, 'epoch' | 'seq' | 'state'>): PlayWrite {
  return {
    match: { epoch, seq, states: [state] },
    set: { state: 'RUN', seq: seq + 1 },
    unset: [],
    touch: [],
    layers: [],
    log: numberEvents(seq, [{ type: 'state', from: state, state: 'RUN', at: new Date() }]),
  };
}

async function moved(play: Play): Promise<Play> {
  if (!(await store.write(playKeyOf(play), move(play)))) throw new Error('the play was not moved');
  const after = await plays().findOne({ _id: play._id });
  if (!after) throw new Error('the play is gone');
  return after;
}

async function allBatches(scope: TenantScope): Promise<ChangeBatchDocument[]> {
  return log.read(scope, 0, 100_000);
}

/** Each play's entries as the log has them: refuses a gap, a repetition and a wrong order. */
function entriesOf(batches: readonly ChangeBatchDocument[]): Map<string, number> {
  const entries = new Map<string, number>();
  for (const { playId, from, to } of batches.flatMap((batch) => batch.plays)) {
    expect([playId, from]).toEqual([playId, entries.get(playId) ?? 0]);
    expect(to).toBeGreaterThan(from);
    entries.set(playId, to);
  }
  return entries;
}

async function storedEntries(scope: TenantScope): Promise<Map<string, number>> {
  const all = await plays().find({ company_id: scope.companyId }).toArray();
  return new Map(all.map(({ _id, seq }) => [_id, seq]));
}

const newCompany = async (): Promise<TenantScope> => {
  const scope = new TenantScope(newId());
  await feeds.use(scope);
  return scope;
};

async function makeOld({ companyId }: TenantScope): Promise<void> {
  const at = new Date(Date.now() - 2 * 3_600_000);
  await mongo.collection<ChangeBatchDocument>(CHANGE_BATCHES).updateMany({ company_id: companyId }, { $set: { at } });
}

describe('the change log of a company', () => {
  it('takes over what was stored before it existed, in batches of their own', async () => {
    const scope = new TenantScope(newId());
    const before = newPlay(scope);
    await store.accept(before);
    await feeds.use(scope);
    const sequencer = new ChangeSequencer(mongo);
    await sequencer.pass(scope);
    const after = newPlay(scope);
    await store.accept(after);
    await sequencer.pass(scope);
    const batches = await allBatches(scope);
    expect(batches.map(({ n, plays: ranges }) => [n >= FIRST_LIVE, ranges.map(({ playId }) => playId)])).toEqual([
      [false, [before._id]],
      [false, []],
      [true, [after._id]],
    ]);
    expect((await feeds.find(scope))?.complete).toBe(true);
  });

  it('has each entry once and in order while several processes write it and plays move', async () => {
    const scope = await newCompany();
    const sequencers = [1, 2, 3].map(() => new ChangeSequencer(mongo));
    let isOver = false;
    const passing = sequencers.map(async (sequencer) => {
      while (!isOver) await sequencer.pass(scope);
    });
    await Promise.all(
      Array.from({ length: 40 }, async (_one, i) => {
        let play = newPlay(scope);
        await store.accept(play);
        for (let n = 0; n < i % 6; n += 1) play = await moved(play);
      }),
    );
    isOver = true;
    await Promise.all(passing);
    await sequencers[0]?.pass(scope);
    expect(entriesOf(await allBatches(scope))).toEqual(await storedEntries(scope));
  });

  it('finds what no time tells of: moves without a mark, of plays with ids from long ago', async () => {
    const scope = await newCompany();
    await new ChangeSequencer(mongo).pass(scope);
    const old = { ...newPlay(scope), _id: lastIdAt(Date.now() - 3_600_000) };
    await plays().insertOne(old, { ignoreUndefined: true });
    const { set, log: entries } = move(old);
    await plays().updateOne({ _id: old._id }, { $set: set, $push: { log: { $each: [...entries] } } });
    await new ChangeSequencer(mongo).pass(scope);
    expect(entriesOf(await allBatches(scope)).get(old._id)).toBe(2);
  });

  it('finds moves whose marks are behind, as after a change to a primary whose clock is', async () => {
    const scope = await newCompany();
    const play = { ...newPlay(scope), _id: lastIdAt(Date.now() - 3_600_000) };
    await plays().insertOne(play, { ignoreUndefined: true });
    const sequencer = new ChangeSequencer(mongo);
    await sequencer.pass(scope);
    await feeds.remember(scope, { scannedTo: new Date(Date.now() + 3_600_000) });
    const movedAt = new Date(Date.now() - 30_000);
    await plays().updateOne({ _id: play._id }, { $set: { ...move(play).set, movedAt } as never });
    await new ChangeSequencer(mongo).pass(scope);
    expect(entriesOf(await allBatches(scope)).get(play._id)).toBe(2);
  });

  it('keeps a batch while one of its plays is kept, and always the newest one', async () => {
    const scope = await newCompany();
    const sequencer = new ChangeSequencer(mongo);
    const made: Play[] = [];
    for (let i = 0; i < 3; i += 1) {
      const play = newPlay(scope);
      await store.accept(play);
      await sequencer.pass(scope);
      made.push(play);
    }
    const [, kept] = made;
    await plays().deleteMany({ company_id: scope.companyId, _id: { $ne: kept?._id } });
    const before = await allBatches(scope);
    await log.trim(scope, 0, 100);
    expect(await allBatches(scope)).toEqual(before); // they are young
    await makeOld(scope);
    expect(await log.trim(scope, 0, 100)).toBeNull();
    const left = (await allBatches(scope)).map((batch) => batch.plays.map(({ playId }) => playId));
    expect(left).toEqual([[], [kept?._id], [made[2]?._id]]);
  });

  it('is written after its newest batch by a process that has found all logged while old batches were deleted', async () => {
    const scope = await newCompany();
    const [idle, busy] = [new ChangeSequencer(mongo), new ChangeSequencer(mongo)];
    await idle.pass(scope);
    const made: Play[] = [];
    for (let i = 0; i < 3; i += 1) {
      const play = newPlay(scope);
      await store.accept(play);
      await busy.pass(scope);
      await idle.pass(scope);
      made.push(play);
    }
    await plays().deleteOne({ _id: made[0]?._id ?? '' });
    await makeOld(scope);
    await log.trim(scope, 0, 100);
    const next = newPlay(scope);
    await store.accept(next);
    await idle.pass(scope);
    const numbers = (await allBatches(scope)).map(({ n, plays: ranges }) => [n, ranges[0]?.playId]);
    expect(numbers.slice(1)).toEqual([
      [FIRST_LIVE + 1, made[1]?._id],
      [FIRST_LIVE + 2, made[2]?._id],
      [FIRST_LIVE + 3, next._id],
    ]);
  });

  it('is not written for a company without a feed', async () => {
    await expect(new ChangeSequencer(mongo).pass(new TenantScope(newId()))).rejects.toThrow('has no change feed');
  });
});
