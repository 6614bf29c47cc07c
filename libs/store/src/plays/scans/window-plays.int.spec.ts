import type { Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../../driver/mongo.js';
import { SystemScope } from '../../scope.js';
import { OpenPlaysRepository } from './open-plays.repository.js';
import { jobOf } from '../play-keys.js';
import { PLAYS } from '../play.schema.js';
import { WindowPlaysRepository } from './window-plays.repository.js';

const live = liveMongo();
const newId = createIdSource(() => Date.now(), 1);
const scope = new SystemScope('test');
let mongo: Mongo;
let plays: WindowPlaysRepository;
let companyId: string;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  plays = new WindowPlaysRepository(mongo, scope);
});
afterAll(() => mongo.close());
beforeEach(() => {
  companyId = newId();
});

/** Plays in accept order. */
async function insert(count: number, change: (n: number) => Partial<Play> = () => ({})): Promise<Play[]> {
  const made = Array.from({ length: count }, (_, n) => ({
    ...aPlay({ playId: newId(), companyId }),
    ...change(n),
  }));
  await mongo.collection<Play>(PLAYS).insertMany(made);
  return made;
}

async function stored(of: readonly Play[]): Promise<Play[]> {
  return mongo
    .collection<Play>(PLAYS)
    .find({ _id: { $in: of.map(({ _id }) => _id) } }, { sort: { _id: 1 } })
    .toArray();
}

const MARKED = { ready: true } as const;
const playIds = (jobs: readonly { playId: string }[]) => jobs.map(({ playId }) => playId);

describe('plays that wait for room in a window', () => {
  it('are found by priority and in accept order, without those that are rung for, or due', async () => {
    const priorities = [0, 3, -1, 0, 3, 1];
    const all = await insert(6, (n) => ({ ...MARKED, priority: priorities[n] ?? 0 }));
    await insert(1);
    await insert(1, () => ({ ...MARKED, state: 'DEFERRED', dueAt: new Date(0), heartbeatAt: undefined }));
    await insert(1, () => ({ ...MARKED, state: 'ON_HOLD', held: 'NEW' }));
    const order = [1, 4, 5, 0, 3, 2].map((n) => all[n]?._id);
    expect(playIds(await plays.waiting(companyId, 100))).toEqual(order);
    expect(playIds(await plays.waiting(companyId, 2))).toEqual(order.slice(0, 2));
    expect(await plays.companies()).toContain(companyId);
    expect(await new OpenPlaysRepository(mongo, scope).countWaiting(companyId, 100)).toBe(6);
  });

  it('are marked once they were accepted, but for those that something has gone on with', async () => {
    const changes: Partial<Play>[] = [{}, { owner: 'w:1' }, { epoch: 2 }, { state: 'ON_HOLD', held: 'NEW' }];
    const all = await insert(changes.length, (n) => changes[n] ?? {});
    await plays.mark(all.map(jobOf));
    expect((await stored(all)).map(({ ready }) => ready === true)).toEqual([true, false, false, false]);
  });

  it('are taken up by one refill each, whoever asks at the same time', async () => {
    const all = await insert(300, () => MARKED);
    const jobs = all.map(jobOf);
    const other = new WindowPlaysRepository(
      Object.create(mongo, { serverNow: { value: () => mongo.serverNow() + 3 } }) as Mongo,
      scope,
    );
    const taken = await Promise.all([plays.takeUp(companyId, jobs), other.takeUp(companyId, jobs.toReversed())]);
    expect(playIds(taken.flat()).sort()).toEqual(playIds(jobs));
    expect(await plays.takeUp(companyId, jobs)).toEqual([]);
    expect(await plays.waiting(companyId, 1)).toEqual([]);
  });

  it('are rung for by one at most where two take up some of the same in one millisecond', async () => {
    const jobs = (await insert(300, () => MARKED)).map(jobOf);
    const now = mongo.serverNow();
    const [one, other] = [0, 0].map(
      (later) =>
        new WindowPlaysRepository(Object.create(mongo, { serverNow: { value: () => now + later } }) as Mongo, scope),
    );
    await one?.takeUp(companyId, jobs.slice(0, 200));
    expect(await other?.takeUp(companyId, jobs.slice(0, 100))).toEqual([]);
    expect(await other?.takeUp(companyId, jobs.slice(100))).toEqual([]);
  });

  it('are taken up with a sign of life, beside some that were cancelled or held meanwhile', async () => {
    const long = new Date(0);
    const all = await insert(3, (n) => ({
      ...MARKED,
      heartbeatAt: long,
      ...(n === 1 && { state: 'ON_HOLD' as const }),
    }));
    expect(playIds(await plays.takeUp(companyId, all.map(jobOf)))).toEqual([all[0]?._id, all[2]?._id]);
    const beats = (await stored(all)).map(({ heartbeatAt }) => heartbeatAt?.getTime() !== 0);
    expect(beats).toEqual([true, false, true]);
  });

  it('are not among those that gave no sign of life', async () => {
    const [rung, waiting] = await insert(2, (n) => ({ heartbeatAt: new Date(n), ...(n === 1 && MARKED) }));
    const { plays: found } = await new OpenPlaysRepository(mongo, scope).silent(null, new Date(1_000), 100);
    const ids = found.map(({ _id }) => _id);
    expect(ids).toContain(rung?._id);
    expect(ids).not.toContain(waiting?._id);
  });
});
