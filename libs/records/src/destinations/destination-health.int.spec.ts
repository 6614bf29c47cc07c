import { CONFIRM_MS } from '@weft/engine';
import { liveMongo, waitFor } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { Mongo, SystemScope, TenantScope } from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { DestinationHealthRepository } from './destination-health.repository.js';
import { DestinationRepository } from './destination.repository.js';
import { DestinationWalkRepository } from './destination-walk.repository.js';
import { DESTINATIONS, type DestinationDocument } from './destination.schema.js';

const live = liveMongo();
const ALL = new SystemScope('a spec');
const ADDRESS = '$a.example.com:443';
const FAILS = { calls: 20, failed: 20, rate: 5 };
let mongo: Mongo;
let health: DestinationHealthRepository;
let destinations: DestinationRepository;
let walk: DestinationWalkRepository;
let scope: TenantScope;
let companies = 0;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  health = new DestinationHealthRepository(mongo);
  destinations = new DestinationRepository(mongo);
  walk = new DestinationWalkRepository(mongo, ALL);
});
afterAll(() => mongo.close());
beforeEach(async () => {
  companies += 1;
  scope = new TenantScope(`company-${companies}`);
  await mongo.collection<{ _id: string }>(COMPANIES).insertOne({ _id: scope.companyId });
});

const stored = () => mongo.collection<DestinationDocument>(DESTINATIONS);
const own = () => ({ company_id: scope.companyId });
const stamp = async () => (await destinations.stamps(ALL, [scope.companyId])).get(scope.companyId);
const find = async () => {
  const found = await destinations.find(scope, ADDRESS);
  if (!found) throw new Error('it is not kept');
  return found;
};
/** Time passes for the destination. */
const age = (fields: Partial<DestinationDocument>) =>
  stored().updateOne({ ...own(), address: ADDRESS }, { $set: fields });
const confirmable = () => age({ suspectSince: new Date(Date.now() - CONFIRM_MS - 1_000) });

async function down(): Promise<void> {
  await health.report(scope, ADDRESS, 'w1', FAILS);
  await confirmable();
  expect((await health.report(scope, ADDRESS, 'w1', FAILS))?.now.state).toBe('down');
}

describe('whether a destination is down', () => {
  it('is decided by what all workers see, after they had time to say so', async () => {
    const first = await health.report(scope, ADDRESS, 'w1', FAILS);
    expect(first).toMatchObject({ wentDown: false, now: { state: 'up', address: ADDRESS } });
    // seen by the others
    expect(await stamp()).toBe(1);
    await health.report(scope, ADDRESS, 'w2', { calls: 50, failed: 0, rate: 25 });
    await confirmable();
    expect(await health.report(scope, ADDRESS, 'w1', FAILS)).toMatchObject({ wentDown: false, now: { state: 'up' } });
    expect(await stamp()).toBe(1);
    // repeats of failed calls do not count as its rate
    const decided = await health.report(scope, ADDRESS, 'w2', { calls: 50, failed: 40, rate: 75 });
    expect(decided).toMatchObject({ wentDown: true, now: { state: 'down', rate: 30, failedProbes: 0, evidence: [] } });
    expect(decided?.now.failureShare).toBeCloseTo(60 / 70);
    expect(decided?.now.nextProbe?.getTime()).toBeGreaterThan(decided?.now.since.getTime() ?? 0);
    expect(await stamp()).toBe(2);
    expect(await health.report(scope, ADDRESS, 'w1', FAILS)).toMatchObject({ wentDown: false });
  });

  it('does not depend on reports that are old, or on few calls', async () => {
    await health.report(scope, ADDRESS, 'w2', FAILS);
    const { evidence = [] } = await find();
    await age({ evidence: evidence.map((one) => ({ ...one, at: new Date(Date.now() - 60_000) })) });
    await confirmable();
    const few = { calls: 4, failed: 4, rate: 1 };
    expect(await health.report(scope, ADDRESS, 'w1', few)).toMatchObject({ now: { state: 'up' } });
    await confirmable();
    expect(await health.report(scope, ADDRESS, 'w1', few)).toMatchObject({ now: { state: 'up' } });
  });

  it('is not recorded of any number of hosts', async () => {
    const many = Array.from({ length: 500 }, (_, i) => ({
      ...{ _id: `${scope.companyId} h${i}:1`, company_id: scope.companyId, address: `h${i}:1`, state: 'up' as const },
      ...{ since: new Date(), rate_limit: null, rev: 1 },
    }));
    await stored().insertMany(many);
    expect(await health.report(scope, ADDRESS, 'w1', FAILS)).toBeNull();
    expect(await health.report(scope, 'h1:1', 'w1', FAILS)).toMatchObject({ now: { state: 'up' } });
    expect(await stored().countDocuments(own())).toBe(500);
  });

  it('is a matter of one company', async () => {
    await down();
    const other = new TenantScope('another');
    expect(await destinations.find(other, ADDRESS)).toBeNull();
    expect(await health.takeProbe(other, ADDRESS)).toBe(false);
    expect(await health.recover(other, ADDRESS)).toBe(false);
    expect(await stamp()).toBe(2);
  });
});

describe('a destination that is down', () => {
  it('lets one call through, of all that ask, when its time has come', async () => {
    await down();
    expect(await health.takeProbe(scope, ADDRESS)).toBe(false);
    await age({ nextProbe: new Date(Date.now() - 1) });
    const taken = await Promise.all(Array.from({ length: 10 }, () => health.takeProbe(scope, ADDRESS)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('lets the next one through later and later', async () => {
    await down();
    const delays: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      const before = Date.now();
      await health.probeFailed(scope, ADDRESS, true);
      delays.push(Math.round(((await find()).nextProbe!.getTime() - before) / 1_000));
    }
    expect(delays).toEqual([2, 4, 8, 16, 30, 30, 30, 30]);
    expect(await find()).toMatchObject({ failedProbes: 8 });
    await health.probeFailed(scope, ADDRESS, false);
    expect(await find()).toMatchObject({ failedProbes: 8 });
  });

  it('recovers by one of several that see it, and may fall back', async () => {
    await down();
    const moved = await Promise.all([1, 2, 3].map(() => health.recover(scope, ADDRESS)));
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect(await find()).toMatchObject({ state: 'recovering', step: 0, rate: 5, nextProbe: null });
    expect(await health.fallBack(scope, ADDRESS)).toBe(true);
    expect(await find()).toMatchObject({ state: 'down', failedProbes: 1 });
    expect(await health.fallBack(scope, ADDRESS)).toBe(false);
    expect(await stamp()).toBe(4);
  });

  it('is looked after by one of several schedulers, until a user decides otherwise', async () => {
    await down();
    await health.recover(scope, ADDRESS);
    const due = async () =>
      (await walk.due(new Date(Date.now() + 1_000), 100)).filter(({ company_id }) => company_id === scope.companyId);
    await waitFor(async () => (await due()).length === 1, { what: 'the destination to be due' });
    const [read] = await due();
    if (!read) throw new Error('not due');
    const takes = await Promise.all([1, 2, 3].map(() => walk.take(read, { step: 1, lookAfterMs: 1_000 })));
    expect(takes.filter(Boolean)).toHaveLength(1);
    const again = await find();
    await destinations.change(scope, ADDRESS, again, { state: 'paused', rate_limit: null }, 10, entry());
    expect(await walk.take(again, { state: 'up', lookAfterMs: null })).toBe(false);
    expect(await walk.forget(again)).toBe(false);
    expect(await find()).toMatchObject({ state: 'paused' });
    // what workers saw before it was paused
    expect(await health.fallBack(scope, ADDRESS)).toBe(false);
    expect(await health.report(scope, ADDRESS, 'w1', FAILS)).toMatchObject({ now: { state: 'paused' } });
  });
});

describe('the rate of calls before an outage', () => {
  const changeTo = async (state: DestinationDocument['state']) =>
    destinations.change(scope, ADDRESS, await find(), { state, rate_limit: null }, 10, entry());

  it('is forgotten when a destination is paused that was up again: it says nothing of the calls of now', async () => {
    await down();
    await health.recover(scope, ADDRESS);
    expect(await walk.take(await find(), { state: 'up', lookAfterMs: 1_000 })).toBe(true);
    expect(await find()).toMatchObject({ state: 'up', rate: 5 });
    expect(await changeTo('paused')).toBe('saved');
    expect(await find()).toMatchObject({ state: 'paused', rate: null });
    expect(await changeTo('recovering')).toBe('saved');
    expect(await find()).toMatchObject({ state: 'recovering', rate: null });
  });

  it('is kept when a destination is paused that is down or recovering', async () => {
    await down();
    await changeTo('paused');
    expect(await find()).toMatchObject({ state: 'paused', rate: 5 });
    await changeTo('recovering');
    await changeTo('paused');
    expect(await find()).toMatchObject({ state: 'paused', rate: 5 });
  });
});

function entry() {
  return {
    ...{ actor_id: null, actor_type: 'system' as const, action_type: 'destination_paused' as const },
    ...{ resource_type: 'destination', resource_id: ADDRESS, collection: DESTINATIONS, company_id: scope.companyId },
  } as never;
}
