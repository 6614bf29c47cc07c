import type { Play } from '@weft/engine';
import { Mongo, PLAYS, TenantScope } from '@weft/store';
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
import { readsOfPlays } from '../../../../test/fixtures/reads-of-plays.js';
import { RetentionCleaner } from './retention-cleaner.js';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** A step may read one page, and what decides about its plays; the first one of a run counts what is left. */
const QUERIES_A_STEP = 7;
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const auditKeys = { current: mongo.auditKey, find: () => Promise.resolve(mongo.auditKey) };
const plan = new RetentionPlan(mongo, { defaults: SPECIFIED_DEFAULTS, auditKeys });
const plays = mongo.collection<Play>(PLAYS);
const flows = mongo.collection<FlowDocument>(FLOWS);
const policies = mongo.collection<RetentionPolicyDocument>(RETENTION_POLICIES);
let run = 0;
let company = new TenantScope('none');
let now = new Date(0);
let made = playFixtures(mongo, company, 0);

beforeEach(async () => {
  run += 1;
  company = new TenantScope(`company-${run}`);
  now = new Date(mongo.serverNow());
  made = playFixtures(mongo, company, now.getTime());
  await mongo.collection<{ _id: string }>(COMPANIES).insertOne({ _id: company.companyId });
});

async function clean(between: () => unknown = () => undefined, signal = AbortSignal.any([])) {
  const cleaning = new RetentionCleaner({
    ...{ plan, stepsAVisit: 2, companies: () => Promise.resolve([company.companyId]) },
    clocks: { local: () => now.getTime(), server: () => now.getTime() },
    pause: async () => void (await between()),
    onFault: (_company, error) => expect.unreachable(String(error)),
  });
  return cleaning.run({ startedAt: now, signal });
}

async function policy(changes: Partial<RetentionPolicyDocument>): Promise<void> {
  const base = { company_id: company.companyId, scope: 'plays', flow_id: null, flow_group_id: null } as const;
  const terms = { cadence: '7d', min_entries: 0, enforced_minimum: '0', enabled: true };
  const times = { created_at: now, updated_at: now };
  await policies.insertOne({ ...base, ...terms, ...times, _id: made.newId(), ...changes });
}

/** What the first step of a rule reads of plays. */
async function readsOfStep(scope: string) {
  const sweep = (await plan.sweepsOf(company, now)).find((one) => one.scope === scope);
  return readsOfPlays(mongo, async () => sweep?.step());
}

const countOf = (filter: object) => plays.countDocuments({ company_id: company.companyId, ...filter });

describe('many children that an open play waits for, before plays that are due', () => {
  let parent = '';

  beforeEach(async () => {
    await policy({});
    await policy({ scope: 'play_layers', enabled: false });
    [parent = ''] = await made.plays(1, { ageMs: 31 * DAY, state: 'WAIT' });
    await made.plays(2_100, { ageMs: 30 * DAY, parentPlayId: parent });
    await made.plays(1_700, { ageMs: 29 * DAY });
    await made.plays(10, { ageMs: DAY });
  });

  it('are read a page a step, and once a run', async () => {
    expect((await readsOfStep('plays')).queries).toBeLessThanOrEqual(QUERIES_A_STEP);
    const { examined } = await readsOfPlays(mongo, () => clean());
    expect(await countOf({})).toBe(2_111);
    expect(examined).toBeLessThan(4_000);
  });

  it('do not let a run go on that must end', async () => {
    const stopping = new AbortController();
    const { entriesDeleted, goesOn } = await clean(() => stopping.abort(), stopping.signal);
    expect([entriesDeleted, goesOn]).toEqual([0, true]);
    await clean();
    expect(await countOf({})).toBe(2_111);
  });

  it('do not let a run go on by a policy that was switched off meanwhile', async () => {
    const off = () => policies.updateMany({ company_id: company.companyId }, { $set: { enabled: false } });
    const deleting = async () => (await countOf({ parentPlayId: { $exists: false } })) < 1_711;
    await clean(async () => (await deleting()) && off());
    expect(await countOf({})).toBeGreaterThan(2_111);
  });
});

it('looks at no more than a page of plays a step, also when none of them is due', async () => {
  await policy({});
  await policy({ scope: 'play_layers', enabled: false });
  await made.plays(4_500, { ageMs: 30 * DAY, state: 'WAIT' });
  await made.plays(3, { ageMs: 29 * DAY });
  await made.plays(10, { ageMs: DAY });
  expect((await readsOfStep('plays')).examined).toBeLessThan(2_100);
  expect(await clean()).toMatchObject({ entriesDeleted: 3 });
});

describe('a deleted flow with many plays that is held up', () => {
  let flowId = '';
  const flow = () => flows.findOne({ _id: flowId });

  beforeEach(async () => {
    await policy({ enabled: false });
    await policy({ scope: 'flows.filtered', cadence: '0' });
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-newer-${i}`, { filteredAt: now });
    flowId = `${run}-held`;
    await made.flow(flowId, { filteredAt: new Date(now.getTime() - 4 * DAY) });
  });

  it('is looked at a page a step, and in the next run at the play that holds it up first', async () => {
    const [open = ''] = await made.plays(1, { ageMs: 6 * DAY, state: 'WAIT', flowId });
    await made.plays(2_600, { ageMs: 5 * DAY, flowId });
    expect((await readsOfStep('flows.filtered')).examined).toBeLessThan(2_100);
    await clean();
    expect((await readsOfPlays(mongo, () => clean())).examined).toBeLessThan(100);
    // a newer one holds it up by now
    const [newer = ''] = await made.plays(1, { ageMs: 2 * DAY, state: 'WAIT', flowId });
    await made.end(open, 0);
    await clean();
    expect([(await flow())?.erasingAt, await countOf({ flowId })]).toEqual([undefined, 2_602]);
    await made.end(newer, 0);
    await clean();
    expect([await flow(), await countOf({ flowId })]).toEqual([null, 0]);
  });

  it('is read once an hour after its erasure has begun, or when the play that holds it up does not any more', async () => {
    await flows.updateOne({ _id: flowId }, { $set: { erasingAt: now } });
    const parents = await made.plays(2, { ageMs: 6 * DAY, state: 'WAIT' });
    const [first = '', second = ''] = parents;
    await made.plays(1_300, { ageMs: 5 * DAY, flowId, parentPlayId: first });
    await made.plays(1_300, { ageMs: 4 * DAY, flowId, parentPlayId: second });
    expect((await readsOfStep('flows.filtered')).queries).toBeLessThanOrEqual(QUERIES_A_STEP);
    await clean();
    expect((await readsOfPlays(mongo, () => clean())).examined).toBeLessThan(100);
    const holding = await plays.findOne({ _id: (await flow())?.heldUp?.playId ?? '' });
    const other = parents.find((id) => id !== holding?.parentPlayId) ?? '';
    await made.end(other, 0);
    await clean();
    now = new Date(now.getTime() + 2 * HOUR);
    await clean();
    expect(await countOf({ flowId })).toBe(1_300);
    await made.end(holding?.parentPlayId ?? '', 0);
    await clean();
    expect([await flow(), await countOf({ flowId })]).toEqual([null, 0]);
  });
});
