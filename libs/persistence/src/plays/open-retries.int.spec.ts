import type { Play } from '@weft/engine';
import { aPlay, liveMongo } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { Mongo } from '../driver/mongo.js';
import { ensureIndexes } from '../driver/collections.js';
import { openRetryOf, withOpenRetry } from './open-retries.js';
import { PLAYS } from './play.schema.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
await ensureIndexes(mongo);
const plays = mongo.collection<Play>(PLAYS);

async function store(state: Play['state'], fields: Partial<Play> = {}): Promise<string> {
  const play = { ...aPlay({ playId: randomUUID(), companyId: 'c' }), ...fields, state };
  await plays.insertOne(play);
  return play._id;
}
const retry = (retryOf: string, state: Play['state'], fields: Partial<Play> = {}) =>
  store(state, { retryOf, trigger: 'retry', ...fields });
const found = async (...ids: readonly string[]) => [...(await withOpenRetry(plays, 'c', ids))].sort();

/** Failed retries of a play, one of each other or all of the play itself; only what the search reads is stored. */
async function manyRetries(of: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const retries = ids.map((_id) => ({ _id, company_id: 'c', retryOf: of, trigger: 'retry', state: 'FAIL' }));
  await plays.insertMany(retries as unknown as Play[]);
  return ids;
}

describe('plays with an open retry', () => {
  it('are those whose retry, or a retry of a retry, has not ended; each of several links is found for itself', async () => {
    const first = await store('FAIL');
    const second = await retry(first, 'FAIL');
    const third = await retry(second, 'FAIL', { trigger: 'flow' });
    const open = await retry(third, 'WAIT');
    const other = await store('FAIL');
    await retry(other, 'DONE');
    await retry(other, 'RUN', { trigger: 'rerun' });
    await retry(other, 'RUN', { company_id: 'another' });
    const links = [first, second, third].sort();
    expect(await found(first, second, third, open, other)).toEqual(links);
    expect(await found(open, third, second, first)).toEqual(links);
    expect(await found(other)).toEqual([]);
    await plays.updateOne({ _id: open }, { $set: { state: 'DONE' } });
    expect(await found(first, second, third)).toEqual([]);
  });

  it('include a play that is not stored any more, and one of which a link ends well and another has not ended', async () => {
    const gone = randomUUID();
    await retry(gone, 'DONE');
    await retry(await retry(gone, 'FAIL'), 'ON_HOLD');
    expect(await found(gone)).toEqual([gone]);
  });

  it('are those with a retry that matches what counts as open', async () => {
    const first = await store('FAIL');
    await retry(first, 'RUN', { cursor: 7 });
    const among = (cursor: number) => withOpenRetry(plays, 'c', [first], { state: 'RUN', cursor });
    expect([(await among(7)).size, (await among(8)).size]).toEqual([1, 0]);
  });

  it('are found among thousands of retries of one play', async () => {
    const first = await store('FAIL');
    const retries = await manyRetries(first, 2_500);
    expect(await found(first)).toEqual([]);
    await retry(retries[1_234] ?? '', 'WAIT');
    expect(await found(first)).toEqual([first]);
  });

  it('include one with more retries than a search remembers, and no other for its sake', async () => {
    const [many, few, open] = [await store('FAIL'), await store('FAIL'), await store('FAIL')];
    await manyRetries(many, 10_001);
    await retry(few, 'FAIL');
    await retry(open, 'RUN');
    expect(await found(many, few, open)).toEqual([many, open].sort());
  });

  it('are found with the id of the open retry; one with more retries than a search remembers, with its own', async () => {
    const first = await store('FAIL');
    const second = await retry(first, 'FAIL');
    await retry(first, 'DONE');
    expect(await openRetryOf(plays, 'c', first)).toBeNull();
    const open = await retry(second, 'WAIT');
    expect(await openRetryOf(plays, 'c', first)).toBe(open);
    const many = await store('FAIL');
    await manyRetries(many, 10_001);
    expect(await openRetryOf(plays, 'c', many)).toBe(many);
  });

  it('are found in a circle of damaged records', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await retry(two, 'FAIL', { _id: one });
    await retry(one, 'FAIL', { _id: two });
    expect(await found(one)).toEqual([]);
    await retry(two, 'WAIT');
    expect(await found(one, two)).toEqual([one, two].sort());
  });
});
