import { type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../driver/collections.js';
import { Mongo } from '../driver/mongo.js';
import { SystemScope } from '../scope.js';
import { PLAYS } from './play.schema.js';
import { WindowPlaysRepository, type PrioritizedPlay } from './window-plays.repository.js';

const live = liveMongo();
const newId = createIdSource(() => Date.now(), 1);
let mongo: Mongo;
let plays: WindowPlaysRepository;
let companyId: string;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  plays = new WindowPlaysRepository(mongo, new SystemScope('test'));
});
afterAll(() => mongo.close());
beforeEach(() => {
  companyId = newId();
});

/** Plays in accept order: NEW ones, and others for which `change` says so. */
async function insert(count: number, change: (n: number) => Partial<Play> = () => ({})): Promise<string[]> {
  const made = Array.from({ length: count }, (_, n) => ({
    ...aPlay({ playId: newId(), companyId }),
    ...change(n),
  }));
  await mongo.collection<Play>(PLAYS).insertMany(made);
  return made.map(({ _id }) => _id);
}

describe('plays that wait behind a window', () => {
  it.each([
    ['one by one', false],
    ['piece by piece', true],
  ])('are found in accept order, %s, and the page says how far it looked', async (_how, isSparse) => {
    const ids = await insert(10, (n) => {
      if (n % 3 === 1) return { state: 'DONE' };
      if (n % 3 === 2) return n === 8 ? { priority: 2 } : { owner: 'w:1' };
      return {};
    });
    const waiting = ids.filter((_id, n) => n % 3 === 0);
    const first = await plays.newAfter(companyId, '', 2, isSparse);
    expect(first.jobs.map(({ playId }) => playId)).toEqual(waiting.slice(0, 2));
    expect(first).toMatchObject({ to: waiting[1], isLast: false });
    expect(first.jobs[0]).toEqual({ playId: waiting[0], companyId, flowId: 'f', epoch: 1 });
    const rest = await plays.newAfter(companyId, first.to, 100, isSparse);
    expect(rest.jobs.map(({ playId }) => playId)).toEqual(waiting.slice(2));
    expect(rest).toMatchObject({ to: ids.at(-1), isLast: true });
    expect(await plays.newAfter(companyId, rest.to, 5, isSparse)).toMatchObject({
      jobs: [],
      to: rest.to,
      isLast: true,
    });
  });

  it('are looked for in pieces where hardly any of very many plays wait', async () => {
    const count = 20_010;
    const ids = await insert(count, (n) => (n === count - 1 ? {} : { state: 'DONE' }));
    const piece = await plays.newAfter(companyId, '', 5, true);
    expect(piece).toEqual({ jobs: [], to: ids[19_999], isLast: false, isSparse: true });
    const next = await plays.newAfter(companyId, piece.to, 5, piece.isSparse);
    expect(next.jobs.map(({ playId }) => playId)).toEqual(ids.slice(-1));
    expect(next.isLast).toBe(true);
  });

  it('are paged by priority', async () => {
    const priorities = [3, 1, 3, 2, 1, -4];
    const ids = await insert(priorities.length, (n) => ({ priority: priorities[n] ?? 0 }));
    const order: string[] = [];
    let after: PrioritizedPlay | null = null;
    for (;;) {
      const page: PrioritizedPlay[] = await plays.prioritized(companyId, 'above', 2, after);
      order.push(...page.map(({ playId }) => playId));
      after = page.at(-1) ?? null;
      if (page.length < 2) break;
    }
    expect(order).toEqual([0, 2, 3, 1, 4].map((n) => ids[n]));
    expect((await plays.prioritized(companyId, 'below', 2)).map(({ playId }) => playId)).toEqual([ids[5]]);
  });

  it('are raised together, but for those that somebody has taken', async () => {
    const ids = await insert(700, (n) => (n === 5 ? { owner: 'w:1', state: 'RUN' } : {}));
    const raised = await plays.reissue((await plays.newAfter(companyId, '', 1_000)).jobs);
    expect(raised.map(({ playId, epoch }) => [playId, epoch])).toEqual(
      ids.filter((_id, n) => n !== 5).map((playId) => [playId, 2]),
    );
    const again = await mongo.collection<Play>(PLAYS).countDocuments({ company_id: companyId, epoch: 2, strict: true });
    expect(again).toBe(699);
  });
});
