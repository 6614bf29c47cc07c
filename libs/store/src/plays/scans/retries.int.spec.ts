import { chainOf, type Play } from '@weft/engine';
import { aPlay, liveMongo } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from '../../driver/mongo.js';
import { ensureIndexes } from '@weft/records';
import { TenantScope } from '../../scope.js';
import { PlayReadsRepository } from '../reads/play-reads.repository.js';
import { PLAYS } from '../play.schema.js';
import { firstOf, openChains, RetriesRepository } from './retries.repository.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
await ensureIndexes(mongo);
const plays = mongo.collection<Play>(PLAYS);
const retries = new RetriesRepository(mongo);
const scope = new TenantScope('c');

async function store(state: Play['state'], fields: Partial<Play> = {}): Promise<Play> {
  const play = { ...aPlay({ playId: randomUUID(), companyId: 'c' }), ...fields, state };
  await plays.insertOne(play);
  return play;
}

const retry = (play: Play, state: Play['state'], fields: Partial<Play> = {}) => {
  const chain = chainOf(play);
  return store(state, { retryOf: play._id, trigger: 'retry', chain: { ...chain, nth: chain.nth + 1 }, ...fields });
};
const rerun = (play: Play, state: Play['state']) => store(state, { retryOf: play._id, trigger: 'rerun' });

describe('the latest play of a chain', () => {
  it('is the last retry, in the company, whatever of the chain is stored; reruns are runs of their own', async () => {
    const first = await store('FAIL');
    const latest = async () => (await retries.latest(scope, first._id))?._id;
    await rerun(first, 'RUN');
    expect(await latest()).toBe(first._id);
    const second = await retry(first, 'FAIL');
    const third = await retry(second, 'FAIL', { trigger: 'flow' });
    await retry(third, 'RUN', { company_id: 'another' });
    expect(await latest()).toBe(third._id);
    await plays.deleteMany({ _id: { $in: [first._id, second._id] } });
    expect(await latest()).toBe(third._id);
    expect(await retries.latest(scope, 'none')).toBeNull();
  });

  it('is found by one key among thousands of retries', async () => {
    const first = await store('FAIL');
    const links = Array.from({ length: 2_000 }, (_, i) => ({
      ...{ ...first, _id: randomUUID() },
      chain: { ...chainOf(first), nth: i + 1 },
    }));
    await plays.insertMany(links);
    expect((await retries.latest(scope, first._id))?._id).toBe(links.at(-1)?._id);
    const found = plays.find({ company_id: 'c', 'chain.first': first._id } as object).sort({ 'chain.nth': -1 });
    const { executionStats } = (await found.limit(1).explain('executionStats')) as {
      readonly executionStats: { readonly totalDocsExamined: number };
    };
    expect(executionStats.totalDocsExamined).toBe(1);
  });
});

describe('chains with an open play', () => {
  it('are those of which any play has not ended', async () => {
    const first = await store('FAIL');
    const second = await retry(first, 'FAIL');
    const last = await retry(second, 'WAIT');
    const [alone, other] = [await store('RUN'), await store('FAIL')];
    await retry(other, 'DONE');
    await rerun(other, 'RUN');
    await retry(await store('FAIL', { company_id: 'another' }), 'RUN', { company_id: 'another' });
    const all = [first, alone, other].map(firstOf);
    expect(await openChains(plays, 'c', all)).toEqual(new Set([first._id, alone._id]));
    expect(await retries.openWithout(scope, first._id)).toBe(last._id);
    expect(await retries.openWithout(scope, other._id)).toBeNull();
    await plays.updateOne({ _id: last._id }, { $set: { state: 'DONE' } });
    expect(await openChains(plays, 'c', all)).toEqual(new Set([alone._id]));
  });
});

describe('mended plays', () => {
  it('are those that failed and whose chain has come to a good end, at last; all others are the rest', async () => {
    const flowId = randomUUID();
    const of = { flowId };
    const [first, unmended, alone, filtered] = await Promise.all(
      Array.from({ length: 4 }, () => store('FAIL', of)) as [
        Promise<Play>,
        Promise<Play>,
        Promise<Play>,
        Promise<Play>,
      ],
    );
    const second = await retry(first, 'FAIL', of);
    const done = await retry(second, 'DONE', of);
    const failedAgain = await retry(unmended, 'FAIL', of);
    const ended = await retry(filtered, 'FILTERED', of);
    const late = await store('FAIL', of);
    const tooLate = await retry(late, 'SKIP', of);
    const list = async (isMended: boolean, more: object = {}) => {
      const filter = { ...of, ...more, ...(await retries.mendedFilter(scope, isMended, flowId)) };
      const { items, total } = await new PlayReadsRepository(mongo).list(scope, filter, { page: 0, size: 50, after: null }); // prettier-ignore
      expect(total).toBe(items.length);
      return items.map(({ _id }) => _id).toSorted();
    };
    const ids = (...all: readonly Play[]) => all.map(({ _id }) => _id).toSorted();
    expect(await list(true)).toEqual(ids(first, second, filtered));
    expect(await list(false)).toEqual(ids(unmended, alone, done, failedAgain, ended, late, tooLate));
    expect(await list(false, { states: ['FAIL'] })).toEqual(ids(unmended, alone, failedAgain, late));
    expect(await list(true, { states: ['DONE'] })).toEqual([]);
  });
});
