import type { Play } from '@weft/engine';
import type { RetentionRule } from '@weft/retention';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { playFixtures } from '../../../../test/fixtures/old-plays.js';
import { readsOfPlays } from '../../../../test/fixtures/reads-of-plays.js';
import { ensureIndexes } from '../database/collections.js';
import { Mongo, PayloadStore, PLAYS, TenantScope } from '@weft/store';
import { LayerSweep, layerStart } from './layer-sweep.js';
import { RetentionStateRepository } from './retention-state.repository.js';

const DAY = 86_400_000;
/** The plays that are remembered one by one; a batch is 500. */
const MOST_LEFT = 700;
/** More than any run of this spec needs. */
const MOST_VISITS = 50;
const RULE: RetentionRule = { scope: 'play_layers', policyId: null, keepMs: 7 * DAY, minEntries: 10 };

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());
const plays = mongo.collection<Play>(PLAYS);

let run = 0;
let company = new TenantScope('none');
let now = new Date(0);
let made = playFixtures(mongo, company, 0);

beforeEach(() => {
  run += 1;
  company = new TenantScope(`company-${run}`);
  now = new Date(mongo.serverNow());
  made = playFixtures(mongo, company, now.getTime());
});

function sweepOf(mostLeft = MOST_LEFT, position = layerStart()): LayerSweep {
  const states = new RetentionStateRepository(mongo);
  const context = { mongo, company, now, states, payloads: new PayloadStore(mongo) };
  return new LayerSweep(context, RULE, [], position, mostLeft);
}

/** One run: visits of a few steps, each with a sweep of its own that goes on where the last one ended, as the cleaner makes them. */
async function clean(steps = 2, mostLeft = MOST_LEFT): Promise<void> {
  const position = layerStart();
  for (let visits = 0; visits < MOST_VISITS; visits += 1) {
    const sweep = sweepOf(mostLeft, position);
    let more = true;
    for (let i = 0; more && i < steps; i += 1) ({ more } = await sweep.step());
    if (!more) return;
  }
  throw new Error('the run does not end');
}

const erased = async (ids: readonly string[]) =>
  plays.countDocuments({ _id: { $in: [...ids] }, layersErasedAt: { $exists: true } });

describe('layers that an open play may still need', () => {
  it('hold up no others, however many they are, and go after its end', async () => {
    const [open = ''] = await made.plays(1, { ageMs: 31 * DAY, state: 'WAIT', layers: 1 });
    const awaited = await made.plays(2_300, { ageMs: 30 * DAY, layers: 1, parentPlayId: open });
    const others = await made.plays(20, { ageMs: 29 * DAY, layers: 1 });
    const late = await made.plays(20, { ageMs: 28 * DAY, endedAgoMs: DAY, layers: 1 });
    await made.plays(10, { ageMs: DAY, layers: 1 });
    expect(await sweepOf().preview()).toEqual({ wouldDelete: 20, kept: 2_331 });
    await clean();
    await clean();
    expect([await erased(others), await erased(awaited)]).toEqual([20, 0]);
    await plays.updateMany({ _id: { $in: late } }, { $set: { completedAt: new Date(now.getTime() - 8 * DAY) } });
    await made.end(open, DAY);
    expect(await sweepOf().preview()).toEqual({ wouldDelete: 2_320, kept: 11 });
    await clean();
    expect([await erased(late), await erased(awaited)]).toEqual([20, 2_300]);
    await made.end(open, 8 * DAY);
    await clean();
    expect(await erased([open])).toBe(1);
  });

  it('go in one run after its end, also when they are several batches that are remembered one by one', async () => {
    const [steps, mostLeft] = [20, 2_000];
    const [open = ''] = await made.plays(1, { ageMs: 31 * DAY, state: 'WAIT', layers: 1 });
    const awaited = await made.plays(1_200, { ageMs: 30 * DAY, layers: 1, parentPlayId: open });
    const [other = ''] = await made.plays(1, { ageMs: 30 * DAY, state: 'WAIT', layers: 1 });
    const stillAwaited = await made.plays(50, { ageMs: 30 * DAY, layers: 1, parentPlayId: other });
    await made.plays(10, { ageMs: DAY, layers: 1 });
    await clean(steps, mostLeft);
    expect(await erased(awaited)).toBe(0);
    await made.end(open, DAY);
    expect(await sweepOf(mostLeft).preview()).toEqual({ wouldDelete: 1_200, kept: 62 });
    await clean(steps, mostLeft);
    expect([await erased(awaited), await erased(stillAwaited)]).toEqual([1_200, 0]);
  });
});

describe('the work of a run on layers that an open play may still need', () => {
  it('is one page a step, also for those that are remembered one by one', async () => {
    const [open = ''] = await made.plays(1, { ageMs: 31 * DAY, state: 'WAIT', layers: 1 });
    await made.plays(1_600, { ageMs: 30 * DAY, layers: 1, parentPlayId: open });
    await made.plays(10, { ageMs: DAY, layers: 1 });
    await clean(2, 2_000);
    const { examined } = await readsOfPlays(mongo, () => sweepOf(2_000).step());
    // a page of the newest and one of those that are remembered, each of 500
    expect(examined).toBeLessThan(1_100);
  });

  it('does not begin once more where plays were not remembered, until an hour has passed or something has changed', async () => {
    const [open = ''] = await made.plays(1, { ageMs: 31 * DAY, state: 'WAIT', layers: 1 });
    await made.plays(2_300, { ageMs: 30 * DAY, layers: 1, parentPlayId: open });
    const late = await made.plays(20, { ageMs: 28 * DAY, endedAgoMs: DAY, layers: 1 });
    await made.plays(10, { ageMs: DAY, layers: 1 });
    await clean();
    const again = await readsOfPlays(mongo, () => clean());
    expect(again.examined).toBeLessThan(1_200);
    await plays.updateMany({ _id: { $in: late } }, { $set: { completedAt: new Date(now.getTime() - 8 * DAY) } });
    now = new Date(now.getTime() + DAY / 12);
    await clean();
    expect(await erased(late)).toBe(20);
    expect((await readsOfPlays(mongo, () => clean())).examined).toBeGreaterThan(2_000);
    now = new Date(mongo.serverNow());
    expect((await readsOfPlays(mongo, () => clean())).examined).toBeLessThan(1_200);
  });

  it('leaves none out when a run goes on that was frozen while another one came to the end', async () => {
    const [open = ''] = await made.plays(1, { ageMs: 31 * DAY, state: 'WAIT', layers: 1 });
    const awaited = await made.plays(2_300, { ageMs: 30 * DAY, layers: 1, parentPlayId: open });
    await made.plays(10, { ageMs: DAY, layers: 1 });
    const frozen = sweepOf();
    for (let steps = 0; steps < 4; steps += 1) await frozen.step();
    await clean();
    while ((await frozen.step()).more);
    await made.end(open, DAY);
    await clean();
    await clean();
    expect(await erased(awaited)).toBe(2_300);
  });
});
