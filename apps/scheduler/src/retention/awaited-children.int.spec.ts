import type { Play } from '@weft/engine';
import { Mongo, PLAYS, PayloadStore, TenantScope } from '@weft/store';
import {
  COMPANIES,
  FLOWS,
  RETENTION_POLICIES,
  RetentionPlan,
  ensureIndexes,
  type FlowDocument,
  type RetentionPolicyDocument,
} from '@weft/records';
import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { playFixtures } from '../../../../test/fixtures/old-plays.js';
import { RetentionCleaner } from './retention-cleaner.js';

const DAY = 86_400_000;
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const auditKeys = { current: mongo.auditKey, find: () => Promise.resolve(mongo.auditKey) };
const plays = mongo.collection<Play>(PLAYS);
const flows = mongo.collection<FlowDocument>(FLOWS);
let run = 0;
let company = new TenantScope('none');
let now = new Date(0);
let made = playFixtures(mongo, company, 0);
let plan = new RetentionPlan(mongo, { defaults: SPECIFIED_DEFAULTS, auditKeys });

beforeEach(async () => {
  run += 1;
  company = new TenantScope(`company-${run}`);
  now = new Date(mongo.serverNow());
  made = playFixtures(mongo, company, now.getTime());
  plan = new RetentionPlan(mongo, { defaults: SPECIFIED_DEFAULTS, auditKeys });
  await mongo.collection<{ _id: string }>(COMPANIES).insertOne({ _id: company.companyId });
});

async function clean() {
  const cleaning = new RetentionCleaner({
    ...{ plan, stepsAVisit: 2, companies: () => Promise.resolve([company.companyId]) },
    clocks: { local: () => now.getTime(), server: () => now.getTime() },
    pause: () => Promise.resolve(),
    onFault: (_company, error) => expect.unreachable(String(error)),
  });
  return cleaning.run({ startedAt: now, signal: AbortSignal.any([]) });
}

async function policy(changes: Partial<RetentionPolicyDocument>): Promise<void> {
  const base = { company_id: company.companyId, scope: 'plays', flow_id: null, flow_group_id: null } as const;
  const terms = { cadence: '7d', min_entries: 0, enforced_minimum: '0', enabled: true };
  const times = { created_at: now, updated_at: now };
  const policies = mongo.collection<RetentionPolicyDocument>(RETENTION_POLICIES);
  await policies.insertOne({ ...base, ...terms, ...times, _id: made.newId(), ...changes });
}

async function preview(scope: string) {
  const sweep = (await plan.sweepsOf(company, now)).find((one) => one.scope === scope);
  return sweep?.preview();
}

const wouldDelete = async (scope: string) => (await preview(scope))?.wouldDelete;

const left = async (ids: readonly string[]) =>
  (
    await plays
      .find({ _id: { $in: [...ids] } })
      .sort({ _id: 1 })
      .toArray()
  ).map(({ _id }) => _id);

/** A failed play, its retry that has failed too, and the open retry of that; each has started two plays, which have ended. */
async function chainWithChildren(childFlow: string, ageMs: number, layers = 0) {
  const [first = ''] = await made.plays(1, { ageMs, layers, state: 'FAIL' });
  const [second = ''] = await made.plays(1, { ageMs, layers, state: 'FAIL', retryOf: first });
  const [open = ''] = await made.plays(1, { ageMs, layers, state: 'WAIT', retryOf: second });
  const of = (parentPlayId: string) => made.plays(2, { ageMs, layers, parentPlayId, flowId: childFlow });
  const children = (await Promise.all([first, second, open].map(of))).flat().sort();
  return { open, chain: [first, second, open], children };
}

/** Sweeps never delete the newest ten. */
async function young(layers = 0): Promise<void> {
  await made.plays(10, { ageMs: DAY, layers });
}

describe('the ended children of an open retry', () => {
  it('stay, with the plays of its chain, when one batch has children of several of them', async () => {
    await policy({});
    const { open, chain, children } = await chainWithChildren('f', 30 * DAY);
    await young();
    const [other = ''] = await made.plays(1, { ageMs: 30 * DAY, state: 'FAIL' });
    expect(await wouldDelete('plays')).toBe(1);
    // without the failed plays of the chain a later cleanup, and the open retry, would not find what the first one started
    await clean();
    await clean();
    expect(await left([...chain, ...children, other])).toEqual([...chain, ...children].sort());
    await made.end(open, DAY);
    expect(await wouldDelete('plays')).toBe(8);
    await clean();
    expect(await left([...chain, ...children])).toEqual([open]);
  });

  it('are counted in portions by a preview, however many there are', async () => {
    await policy({});
    const [open] = await made.plays(1, { ageMs: 30 * DAY, state: 'WAIT' });
    await made.plays(2_100, { ageMs: 30 * DAY, parentPlayId: open });
    await made.plays(2_100, { ageMs: 30 * DAY, parentPlayId: 'gone' });
    await young();
    expect(await wouldDelete('plays')).toBe(2_100);
  });
});

describe('the layers of the ended children of an open retry', () => {
  const erased = async () =>
    (await plays.find({ company_id: company.companyId, layersErasedAt: { $exists: true } }).toArray()).map(
      ({ _id }) => _id,
    );

  it('stay, with those of its chain, until it has ended; those of other plays go meanwhile', async () => {
    await policy({ enabled: false });
    await policy({ scope: 'play_layers', cadence: '7d' });
    const { open, chain, children } = await chainWithChildren('f', 30 * DAY, 2);
    const [waiting = ''] = await made.plays(1, { ageMs: 30 * DAY, state: 'WAIT', layers: 2 });
    const awaited = await made.plays(2, { ageMs: 30 * DAY, layers: 2, parentPlayId: waiting, state: 'FAIL' });
    const others = await made.plays(3, { ageMs: 29 * DAY, layers: 2 });
    const orphan = await made.plays(1, { ageMs: 29 * DAY, layers: 2, parentPlayId: 'gone' });
    await young(2);
    const payloads = new PayloadStore(mongo);
    const out = await payloads.put(company, { playId: children[0] ?? '', flowId: 'f' }, Buffer.from('"out"'));
    expect(await preview('play_layers')).toEqual({ wouldDelete: 8, kept: 44 });
    await clean();
    await clean();
    expect((await erased()).sort()).toEqual([...others, ...orphan].sort());
    expect((await payloads.get(company, out))?.toString()).toBe('"out"');
    await made.end(open, DAY);
    await made.end(waiting, DAY);
    expect(await preview('play_layers')).toEqual({ wouldDelete: 20, kept: 24 });
    await clean();
    const ended = [...others, ...orphan, ...children, ...awaited, ...chain.slice(0, 2)];
    expect((await erased()).sort()).toEqual(ended.sort());
    expect(await payloads.get(company, out)).toBeNull();
  });

  it('are among what a preview keeps when the plays are old enough to be deleted', async () => {
    await policy({});
    await policy({ scope: 'play_layers', cadence: '3d' });
    await chainWithChildren('f', 30 * DAY, 2);
    await made.plays(2, { ageMs: 30 * DAY, layers: 2 });
    await made.plays(1, { ageMs: 4 * DAY, layers: 2 });
    await young(2);
    expect(await wouldDelete('plays')).toBe(2);
    expect(await preview('play_layers')).toEqual({ wouldDelete: 2, kept: 38 });
    await clean();
    const rest = await plays.find({ company_id: company.companyId }).toArray();
    expect(rest.reduce((sum, { layers }) => sum + layers.length, 0)).toBe(38);
  });
});

describe('a deleted flow', () => {
  const deletedFlow = (id: string) => made.flow(id, { filteredAt: new Date(now.getTime() - 4 * DAY) });
  const isStored = async (id: string) => (await flows.findOne({ _id: id })) !== null;

  beforeEach(async () => {
    await policy({ enabled: false });
    await policy({ scope: 'flows.filtered', cadence: '0' });
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-newer-${i}`, { filteredAt: now });
  });

  it('stays with its plays while an open play of another flow, or one with an open retry, may ask for them', async () => {
    const flowId = `${run}-child`;
    await deletedFlow(flowId);
    await made.plays(3, { ageMs: 5 * DAY, flowId });
    const { open, children } = await chainWithChildren(flowId, 5 * DAY);
    expect(await wouldDelete('flows.filtered')).toBe(0);
    await clean();
    expect(await flows.findOne({ _id: flowId })).toMatchObject({ filteredAt: expect.any(Date) as Date });
    expect((await flows.findOne({ _id: flowId }))?.erasingAt).toBeUndefined();
    expect(await plays.countDocuments({ flowId, company_id: company.companyId })).toBe(9);
    await made.end(open, 0);
    expect(await wouldDelete('flows.filtered')).toBe(1);
    await clean();
    expect([await isStored(flowId), await left(children)]).toEqual([false, []]);
  });

  it('whose erasure has begun keeps such plays alone, however many they are, and holds up no other flow', async () => {
    const [begun, next] = [`${run}-begun`, `${run}-next`];
    for (const id of [begun, next]) await deletedFlow(id);
    await flows.updateOne({ _id: begun }, { $set: { erasingAt: now } });
    const [open = ''] = await made.plays(1, { ageMs: 5 * DAY, state: 'WAIT' });
    const awaited = await made.plays(1_100, { ageMs: 5 * DAY, flowId: begun, parentPlayId: open });
    const others = await made.plays(3, { ageMs: 4.5 * DAY, flowId: begun });
    await made.plays(3, { ageMs: 5 * DAY, flowId: next });
    expect(await clean()).toMatchObject({ hasFaults: false });
    expect([await isStored(begun), await isStored(next)]).toEqual([true, false]);
    expect(await left([...awaited, ...others])).toEqual(awaited);
    await made.end(open, 0);
    await clean();
    expect([await isStored(begun), await left(awaited)]).toEqual([false, []]);
  });
});
