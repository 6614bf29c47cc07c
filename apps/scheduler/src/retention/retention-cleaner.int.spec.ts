import { retryOf, type Play } from '@weft/engine';
import {
  AUDIT_LOGS,
  AuditSealer,
  AuditVerifier,
  Mongo,
  PLAYS,
  PayloadStore,
  SystemScope,
  TenantScope,
  recordAudit,
  type AuditDocument,
} from '@weft/store';
import {
  COMPANIES,
  FLOWS,
  FLOW_VERSIONS,
  FlowRepository,
  GRANTS,
  RETENTION_POLICIES,
  RetentionPlan,
  TEST_CASES,
  ensureIndexes,
  type FlowDocument,
  type RetentionPolicyDocument,
} from '@weft/records';
import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { playFixtures } from '../../../../test/fixtures/old-plays.js';
import { RetentionCleaner, type RetentionProgress } from './retention-cleaner.js';

const DAY = 86_400_000;
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const auditKeys = { current: mongo.auditKey, find: () => Promise.resolve(mongo.auditKey) };
const plays = mongo.collection<Play>(PLAYS);
const flows = mongo.collection<FlowDocument>(FLOWS);
const policies = mongo.collection<RetentionPolicyDocument>(RETENTION_POLICIES);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
let run = 0;
let company = new TenantScope('none');
let made = playFixtures(mongo, company, 0);
let now = new Date(0);

beforeEach(async () => {
  run += 1;
  company = new TenantScope(`company-${run}`);
  now = new Date(mongo.serverNow());
  made = playFixtures(mongo, company, now.getTime());
  await mongo.collection<{ _id: string }>(COMPANIES).deleteMany({});
  await mongo.collection<{ _id: string }>(COMPANIES).insertOne({ _id: company.companyId });
});

/** A process that cleans. `between` is called after each batch. */
function cleaner(
  between: (pauseMs: number) => unknown = () => undefined,
  clocks = { local: () => now.getTime(), server: () => now.getTime() },
  companies = [company.companyId],
) {
  const plan = new RetentionPlan(mongo, { defaults: SPECIFIED_DEFAULTS, auditKeys });
  const faults: unknown[] = [];
  const progress: (RetentionProgress | null)[] = [];
  const steps: (string | null)[] = [];
  const cleaning = new RetentionCleaner({
    plan,
    stepsAVisit: 2,
    companies: () => Promise.resolve(companies),
    clocks,
    pause: async (ms) => void (await between(ms)),
    onStep: (collection, companyId) => collection === 'plays' && steps.push(companyId),
    onProgress: (each) => progress.push(each),
    onFault: (_company, error) => faults.push(error),
  });
  return {
    plan,
    faults,
    progress,
    steps,
    clean: (signal = AbortSignal.any([])) => cleaning.run({ startedAt: now, signal }),
  };
}

/** Of a run that has gone on for so long that it deletes of two companies at once. */
function fallenBehind() {
  let isBegun = false;
  const at = () => now.getTime() + (isBegun ? 20 * 60_000 : 0);
  const local = () => {
    const read = at();
    isBegun = true;
    return read;
  };
  return { local, server: at };
}

/** Who comes first waits for the other one. */
function meeting(): () => Promise<void> {
  let first: (() => void) | null = null;
  return () =>
    new Promise((resolve) => {
      if (first === null) return void (first = resolve);
      first();
      first = null;
      resolve();
    });
}

async function policy(changes: Partial<RetentionPolicyDocument>): Promise<void> {
  const base = { company_id: company.companyId, scope: 'plays', flow_id: null, flow_group_id: null } as const;
  const terms = { cadence: '7d', min_entries: 0, enforced_minimum: '0', enabled: true };
  await policies.insertOne({ ...base, ...terms, _id: made.newId(), created_at: now, updated_at: now, ...changes });
}

async function preview(): Promise<Record<string, readonly [number, number]>> {
  const sweeps = await cleaner().plan.sweepsOf(company, now);
  const rows = await Promise.all(
    sweeps.map(async (sweep) => {
      const { wouldDelete, kept } = await sweep.preview();
      return [sweep.scope ?? 'flow', [wouldDelete, kept]] as const;
    }),
  );
  return Object.fromEntries(rows);
}

async function told(): Promise<(readonly [string, number | null])[]> {
  const entries = await audit
    .find({ company_id: company.companyId, action_type: 'retention_cleanup_run' })
    .sort({ _id: 1 })
    .toArray();
  return entries.filter((entry) => entry.entries_deleted).map((entry) => [entry.collection, entry.entries_deleted]);
}

const idsOf = async (filter: object = {}) =>
  (
    await plays
      .find({ company_id: company.companyId, ...filter })
      .sort({ _id: 1 })
      .toArray()
  ).map(({ _id }) => _id);

describe('retention on clocks that disagree', () => {
  it('deletes nothing while the machine and MongoDB are more than a minute apart, and goes on when they agree', async () => {
    await policy({ cadence: '7d' });
    await made.plays(13, { ageMs: 30 * DAY });
    const before = await idsOf();
    const server = () => now.getTime();
    for (const local of [() => server() - 30 * DAY, () => server() + 61_000]) {
      await expect(cleaner(undefined, { local, server }).clean()).rejects.toThrow('Retention deletes nothing');
    }
    expect(await idsOf()).toEqual(before);
    expect(await cleaner().clean()).toMatchObject({ entriesDeleted: 3 });
  });

  it('stops when another primary, whose clock is ahead, takes over in the middle of a run', async () => {
    await policy({ cadence: '7d' });
    await made.plays(3_000, { ageMs: 30 * DAY });
    let aheadMs = 0;
    const cleaning = cleaner(() => (aheadMs = DAY), {
      local: () => now.getTime(),
      server: () => now.getTime() + aheadMs,
    });
    await expect(cleaning.clean()).rejects.toThrow('Retention deletes nothing');
    expect((await idsOf()).length).toBeGreaterThan(0);
    await cleaner().clean();
    expect((await told()).at(-1)).toEqual(['plays', 2_990]);
  });
});

describe('retention of plays', () => {
  it('leaves the newest, the young and those that have not ended, and tells exactly what went', async () => {
    await policy({ cadence: '7d', min_entries: 12 });
    const open = await made.plays(3, { ageMs: 40 * DAY, state: 'WAIT' });
    const late = await made.plays(1, { ageMs: 40 * DAY, endedAgoMs: DAY });
    await made.plays(1_200, { ageMs: 30 * DAY });
    const young = await made.plays(5, { ageMs: DAY });
    const before = await idsOf();
    expect(await preview()).toMatchObject({ plays: [1_193, 16] });
    const { entriesDeleted } = await cleaner().clean();
    const newest = before.slice(-12);
    expect(await idsOf()).toEqual([...new Set([...open, ...late, ...newest, ...young])].sort());
    expect(entriesDeleted).toBe(1_193);
    expect(await told()).toEqual([['plays', 1_193]]);
    expect(await cleaner().clean()).toMatchObject({ entriesDeleted: 0 });
    expect(await told()).toHaveLength(1);
  });

  it('deletes with two cleaners what one deletes, and counts it once', async () => {
    await policy({});
    await made.plays(1_100, { ageMs: 30 * DAY });
    const both = await Promise.all([cleaner().clean(), cleaner().clean()]);
    expect(await idsOf()).toHaveLength(10);
    expect(both[0].entriesDeleted ?? 0).toBeGreaterThanOrEqual(0);
    expect((await told()).reduce((sum, [, count]) => sum + (count ?? 0), 0)).toBe(1_090);
  });

  it('goes on after a death between two batches, and its count is told then', async () => {
    await policy({});
    await made.plays(1_100, { ageMs: 30 * DAY });
    const dying = cleaner(() => {
      throw new Error('killed');
    });
    await dying.clean();
    expect(dying.faults).toHaveLength(1);
    expect(await idsOf()).toHaveLength(600);
    expect(await told()).toEqual([]);
    await cleaner().clean();
    expect(await idsOf()).toHaveLength(10);
    expect(await told()).toEqual([['plays', 1_090]]);
  });

  it('deletes nothing of a batch whose count could not be written', async () => {
    await policy({});
    await made.plays(20, { ageMs: 30 * DAY });
    const failing = cleaner();
    vi.spyOn(failing.plan.states, 'count').mockRejectedValueOnce(new Error('killed'));
    expect(await failing.clean()).toMatchObject({ entriesDeleted: 0, hasFaults: true });
    expect(await idsOf()).toHaveLength(20);
  });

  it('stops between batches when its process must, and says that there is more', async () => {
    await policy({});
    await made.plays(1_100, { ageMs: 30 * DAY });
    const stopping = new AbortController();
    const { entriesDeleted, goesOn } = await cleaner(() => stopping.abort()).clean(stopping.signal);
    expect([entriesDeleted, goesOn]).toEqual([500, true]);
    expect(await told()).toEqual([['plays', 500]]);
  });

  it('pauses no longer than it must once it has run for longer than from one run to the next, and says for how long it has run', async () => {
    await policy({});
    await made.plays(1_200, { ageMs: 30 * DAY });
    const behindMs = 3 * 60_000;
    const machine = { local: () => now.getTime(), server: () => now.getTime() };
    const late = { local: () => now.getTime() + behindMs, server: () => now.getTime() + behindMs };
    const pauses: number[] = [];
    const { clean, progress } = cleaner((ms) => {
      pauses.push(ms);
      Object.assign(machine, late);
    }, machine);
    await clean();
    expect(pauses[0]).toBeGreaterThan(5);
    expect(new Set(pauses.slice(1))).toEqual(new Set([5]));
    expect([progress[0]?.runMs, progress[1]?.runMs, progress.at(-1)]).toEqual([0, behindMs, null]);
  });

  describe('of two companies', () => {
    let both: string[] = [];

    beforeEach(async () => {
      const other = new TenantScope(`${company.companyId}-other`);
      both = [company.companyId, other.companyId];
      for (const scope of [company, other])
        await playFixtures(mongo, scope, now.getTime()).plays(2_300, { ageMs: 30 * DAY });
    });

    it('visits one after the other', async () => {
      const { clean, steps } = cleaner(() => new Promise(setImmediate), undefined, both);
      await clean();
      const [one, other] = both;
      expect(steps).toEqual([one, one, other, other, one, other]);
    });

    it('visits both at once when it has fallen far behind, and adds up what went', async () => {
      const { plan, clean, faults } = cleaner(meeting(), fallenBehind(), both);
      const [report, meet] = [plan.states.report.bind(plan.states), meeting()];
      vi.spyOn(plan.states, 'report').mockImplementation(async (scope, of, run) => {
        const reported = await report(scope, of, run);
        if (of) await meet();
        return reported;
      });
      expect(await clean()).toEqual({ entriesDeleted: 2_600, hasFaults: false });
      expect([faults, await plays.countDocuments({ company_id: { $in: both } })]).toEqual([[], 2_000]);
    });

    it('counts what went once when another process does the same', async () => {
      const [one, other] = [cleaner(undefined, fallenBehind(), both), cleaner(undefined, fallenBehind(), both)];
      await Promise.all([one.clean(), other.clean()]);
      expect([...one.faults, ...other.faults]).toEqual([]);
      expect(await plays.countDocuments({ company_id: { $in: both } })).toBe(2_000);
      expect((await told()).reduce((sum, [, count]) => sum + (count ?? 0), 0)).toBe(1_300);
    });

    it('ends when both visits have ended that were begun before the clocks disagreed', async () => {
      const [clocks, meet, ended] = [fallenBehind(), meeting(), Promise.withResolvers<void>()];
      let [aheadMs, pausing] = [0, 0];
      const { plan, clean, steps } = cleaner(
        async () => {
          const isLast = steps.length === 4;
          pausing += 1;
          await meet();
          aheadMs = DAY;
          if (isLast) await ended.promise;
          pausing -= 1;
        },
        { ...clocks, server: () => clocks.server() + aheadMs },
        both,
      );
      vi.spyOn(plan, 'removePayloads').mockImplementation(() => {
        setImmediate(ended.resolve);
        return Promise.resolve(0);
      });
      await expect(clean()).rejects.toThrow('Retention deletes nothing');
      expect([steps.length, pausing]).toEqual([4, 0]);
    });
  });

  it('says how many plays are left, and for how long the oldest could have gone', async () => {
    await policy({});
    await made.plays(1_200, { ageMs: 30 * DAY });
    await made.plays(3_000, { ageMs: DAY });
    const { clean, progress } = cleaner();
    await clean();
    const left = progress.flatMap((each) => (each ? [each.left] : []));
    expect(left.slice(0, 2).map(({ plays }) => plays)).toEqual([700, 200]);
    expect(Math.abs((left[0]?.overdueMs ?? 0) - 23 * DAY)).toBeLessThan(60_000);
    expect(left.at(-1)?.plays).toBe(200);
  });

  it('goes by the policy of the flow, of its group, then of the company', async () => {
    await policy({ cadence: '20d' });
    await policy({ scope: null, flow_id: 'own', cadence: '1d' });
    await policy({ scope: 'flows.group', flow_group_id: 'g', cadence: '5d' });
    await made.flow('grouped', { groupId: 'g' });
    for (const flowId of ['own', 'grouped', 'other']) {
      for (const days of [30, 10, 3]) await made.plays(20, { flowId, ageMs: days * DAY });
      await made.plays(10, { flowId, ageMs: 0, endedAgoMs: 0 });
    }
    await cleaner().clean();
    expect(await idsOf({ flowId: 'own' })).toHaveLength(10);
    expect(await idsOf({ flowId: 'grouped' })).toHaveLength(30);
    expect(await idsOf({ flowId: 'other' })).toHaveLength(50);
  });

  it('comes to an end behind more children that are waited for than it looks at in a visit', async () => {
    await policy({});
    const [parent] = await made.plays(1, { ageMs: 30 * DAY, state: 'WAIT' });
    const children = await made.plays(1_001, { ageMs: 30 * DAY, parentPlayId: parent });
    await made.plays(1, { ageMs: 29 * DAY });
    const young = await made.plays(10, { ageMs: DAY });
    expect(await cleaner().clean()).toMatchObject({ entriesDeleted: 1 });
    expect(await idsOf()).toEqual([parent, ...children, ...young].sort());
  });

  it('keeps the child of a play that has not ended, and a scheduled play whose slot may be asked for again', async () => {
    await policy({});
    const [parent] = await made.plays(1, { ageMs: 30 * DAY, state: 'WAIT' });
    const child = await made.plays(1, { ageMs: 30 * DAY, parentPlayId: parent });
    await made.plays(1, { ageMs: 30 * DAY, parentPlayId: 'gone' });
    // retries of a play that is not stored any more: one failed, and its own has not ended
    const [retry = ''] = await made.plays(1, { ageMs: DAY, state: 'FAIL', retryOf: 'failed' });
    await made.plays(1, { ageMs: DAY, state: 'WAIT', retryOf: retry });
    child.push(...(await made.plays(1, { ageMs: 30 * DAY, parentPlayId: 'failed' })));
    await made.plays(8, { ageMs: DAY });
    await mongo.collection('schedules').insertOne({ company_id: company.companyId, missed_window: '29d' });
    const slot = await made.plays(1, { ageMs: 29.5 * DAY, trigger: 'schedule' });
    await made.plays(1, { ageMs: 31 * DAY, trigger: 'schedule' });
    expect(await preview()).toMatchObject({ plays: [2, 14] });
    await cleaner().clean();
    expect((await idsOf()).slice(0, -10)).toEqual([parent, ...child, ...slot].sort());
  });

  it('keeps the play at which a lane has stopped, with its layers, until somebody retries or skips it', async () => {
    await policy({});
    await policy({ scope: 'play_layers', cadence: '3d' });
    const [stopped = '', other] = await made.plays(2, { ageMs: 60 * DAY, state: 'FAIL', layers: 1 });
    await made.plays(20, { ageMs: DAY, layers: 1 });
    await plays.updateOne({ _id: stopped }, { $set: { lane: 'l', turns: ['lane:l#0'], laneStops: true } });
    const total = await preview();
    await cleaner().clean();
    const left = await idsOf();
    expect([left.includes(stopped), left.includes(other ?? '')]).toEqual([true, false]);
    expect((await plays.findOne({ _id: stopped }))?.layers).toHaveLength(1);
    expect(total.plays?.[0]).toBe(1);
    await plays.updateOne({ _id: stopped }, { $unset: { turns: 1 } });
    await cleaner().clean();
    expect(await idsOf()).not.toContain(stopped);
  });

  it('lets payloads go with their plays, and the others stay', async () => {
    await policy({});
    const payloads = new PayloadStore(mongo);
    const [old] = await made.plays(1, { ageMs: 30 * DAY });
    const [young] = await made.plays(10, { ageMs: DAY });
    const gone = await payloads.put(company, { playId: old ?? '', flowId: 'f' }, Buffer.from('a'));
    const kept = await payloads.put(company, { playId: young ?? '', flowId: 'f' }, Buffer.from('b'));
    await cleaner().clean();
    expect(await payloads.get(company, gone)).toBeNull();
    expect((await payloads.get(company, kept))?.toString()).toBe('b');
  });

  it('is off where all policies of the scope are disabled', async () => {
    await policy({ enabled: false });
    await made.plays(20, { ageMs: 3_000 * DAY });
    await cleaner().clean();
    expect(await idsOf()).toHaveLength(20);
  });
});

describe('retention of play layers', () => {
  it('takes results and events of layers from old plays, once, and those that end later in their turn', async () => {
    await policy({ enabled: false });
    await policy({ scope: 'play_layers', cadence: '7d', min_entries: 20 });
    const [open] = await made.plays(1, { ageMs: 30 * DAY, state: 'WAIT', layers: 2 });
    const old = await made.plays(600, { ageMs: 30 * DAY, layers: 2 });
    const payloads = new PayloadStore(mongo);
    const owner = { playId: old[0] ?? '', flowId: 'f' };
    const out = await payloads.put(company, owner, Buffer.from('"out"'));
    const argsRef = await payloads.put(company, owner, Buffer.from('{}'));
    await plays.updateOne({ _id: old[0] }, { $set: { argsRef } });
    const young = await made.plays(10, { ageMs: DAY, layers: 2 });
    expect(await preview()).toMatchObject({ play_layers: [1_200, 22] });
    await cleaner().clean();
    expect(await told()).toEqual([['play_layers', 1_200]]);
    expect(await idsOf({ layersErasedAt: { $exists: true } })).toEqual(old);
    const play = await plays.findOne({ _id: old[0] });
    expect(play?.layers).toEqual([]);
    expect(await payloads.get(company, out)).toBeNull();
    expect((await payloads.get(company, argsRef))?.toString()).toBe('{}');
    expect(play?.log.map(({ type }) => type)).toEqual(['state', 'end']);
    expect((await plays.findOne({ _id: young[0] }))?.layers).toHaveLength(2);

    await made.end(open ?? '', 8 * DAY);
    expect(await preview()).toMatchObject({ play_layers: [2, 20] });
    const again = cleaner();
    await again.clean();
    expect(again.faults).toEqual([]);
    expect(await told()).toEqual([
      ['play_layers', 1_200],
      ['play_layers', 2],
    ]);
  });

  it('leaves those of plays that are about to go to them, in the preview too', async () => {
    await policy({});
    await policy({ scope: 'play_layers', cadence: '3d' });
    await made.plays(1_100, { ageMs: 30 * DAY, layers: 1 });
    await made.plays(40, { ageMs: 4 * DAY, layers: 1 });
    expect(await preview()).toMatchObject({ plays: [1_100, 40], play_layers: [30, 10] });
    await cleaner().clean();
    expect((await told()).toSorted()).toEqual([
      ['play_layers', 30],
      ['plays', 1_100],
    ]);
  });

  it('counts the newest in layers, not in plays', async () => {
    await policy({ scope: 'play_layers', cadence: '1d', min_entries: 11 });
    await made.plays(10, { ageMs: 3 * DAY, layers: 4 });
    await cleaner().clean();
    expect(await idsOf({ layersErasedAt: { $exists: true } })).toHaveLength(7);
  });

  it('leaves what a retry that has not ended took over', async () => {
    const [failed] = await made.plays(1, { ageMs: 30 * DAY, layers: 2, state: 'FAIL' });
    const play = await plays.findOne({ _id: failed });
    if (!play) throw new Error('the play is gone');
    const settings = { timeoutMs: null } as never;
    const retry = retryOf(play, { layers: [], settings }, { playId: made.newId(), triggeredBy: 'u', serverNow: now });
    await plays.insertOne(retry);
    await policy({ scope: 'play_layers', cadence: '1d', min_entries: 0 });
    await made.plays(10, { ageMs: 3 * DAY, layers: 1 });
    await cleaner().clean();
    expect((await plays.findOne({ _id: retry._id }))?.layers).toHaveLength(2);
  });
});

describe('retention of flows', () => {
  it('deletes softly those that nobody changed, ran or scheduled for long, beyond the newest; a restore brings them back', async () => {
    await policy({ scope: 'flows.all', cadence: '90d', min_entries: 0 });
    for (let i = 0; i < 10; i += 1) await made.flow(`fresh-${i}`, { updatedAt: now });
    const old = new Date(now.getTime() - 200 * DAY);
    for (const id of ['still', 'scheduled', 'ran', 'remembered']) {
      await made.flow(`${run}-${id}`, { updatedAt: old });
    }
    // what is published is still what was published after the restore
    const byHand = { 'settings.publish': 'manual', version: 4, publishedVersion: 4 } as const;
    await flows.updateOne({ _id: `${run}-still` }, { $set: byHand as never });
    await mongo
      .collection('schedules')
      .insertOne({ company_id: company.companyId, flow_id: `${run}-scheduled`, enabled: true });
    await made.plays(1, { flowId: `${run}-ran`, ageMs: 80 * DAY });
    await made.plays(1, { flowId: `${run}-remembered`, ageMs: 60 * DAY });
    await policy({ cadence: '10d' });
    await made.plays(10, { ageMs: 0, endedAgoMs: 0 });
    expect(await preview()).toMatchObject({ 'flows.all': [1, 13] });
    await cleaner().clean();
    expect(await idsOf({ flowId: `${run}-remembered` })).toEqual([]);
    await cleaner().clean();
    const deleted = await flows.find({ company_id: company.companyId, filteredAt: { $ne: null } }).toArray();
    expect(deleted.map(({ _id }) => _id)).toEqual([`${run}-still`]);
    const entry = await audit.findOne({ company_id: company.companyId, action_type: 'flow_deleted' });
    expect(entry).toMatchObject({ resource_id: `${run}-still`, reason: 'retention', UserID: null });
    const restorable = await new FlowRepository(mongo).findDeleted(company, `${run}-still`);
    expect(restorable).toMatchObject({ version: 5, publishedVersion: 5 });
  });

  it('looks for an open play of a deleted flow in pieces, however many have ended since', async () => {
    await policy({ scope: 'flows.filtered', cadence: '0', enforced_minimum: '0' });
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-kept-${i}`, { filteredAt: now });
    const flowId = `${run}-long`;
    await made.flow(flowId, { filteredAt: new Date(now.getTime() - 4 * DAY) });
    await made.plays(1, { flowId, ageMs: 6 * DAY, state: 'WAIT' });
    await made.plays(2_500, { flowId, ageMs: 5 * DAY });
    await mongo.db.command({ profile: 2 });
    expect(await preview()).toMatchObject({ 'flows.filtered': [0, 11] });
    await mongo.db.command({ profile: 0 });
    const looks = await mongo.db
      .collection('system.profile')
      .find({ 'command.find': 'plays', 'command.filter.flowId': flowId, 'command.limit': { $in: [1, 2_000] } })
      .toArray();
    expect(Math.max(...looks.map(({ docsExamined }) => Number(docsExamined)))).toBe(2_000);
  });

  it('erases deleted ones with all that belongs to them, the latest ten and those with an open play excepted', async () => {
    await policy({ scope: 'flows.filtered', cadence: '0', enforced_minimum: '0' });
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-kept-${i}`, { filteredAt: now });
    await made.flow(`${run}-two-days`, { filteredAt: new Date(now.getTime() - 2 * DAY) });
    for (const id of ['going', 'busy'])
      await made.flow(`${run}-${id}`, { filteredAt: new Date(now.getTime() - 4 * DAY) });
    const flowId = `${run}-going`;
    const company_id = company.companyId;
    const [play] = await made.plays(600, { flowId, ageMs: 5 * DAY });
    await made.plays(1, { flowId: `${run}-busy`, ageMs: 5 * DAY, state: 'WAIT' });
    const payload = await new PayloadStore(mongo).put(company, { playId: play ?? '', flowId }, Buffer.from('a'));
    await policy({ scope: null, flow_id: flowId, enabled: false });
    await mongo.collection(TEST_CASES).insertOne({ company_id, flowId });
    await mongo.collection(FLOW_VERSIONS).insertOne({ companyId: company_id, flowId, version: 1 });
    await mongo.collection('schedules').insertOne({ company_id, flow_id: flowId, missed_window: '1d' });
    const grant = { CompanyID: company_id, ResourceType: 'flow', ResourceID: flowId, GranteeID: 'u', Permissions: [] };
    await mongo.collection(GRANTS).insertOne(grant);

    expect(await preview()).toMatchObject({ 'flows.filtered': [1, 12] });
    const { faults, clean } = cleaner();
    await clean();
    expect(faults).toEqual([]);
    expect(await flows.findOne({ _id: flowId })).toBeNull();
    expect(await audit.findOne({ company_id, action_type: 'flow_erased' })).toMatchObject({ resource_id: flowId });
    expect(await flows.countDocuments({ company_id })).toBe(12);
    expect(await idsOf({ flowId })).toEqual([]);
    for (const [name, filter] of [
      [TEST_CASES, { flowId }],
      [FLOW_VERSIONS, { flowId }],
      ['schedules', { flow_id: flowId }],
      [GRANTS, { ResourceID: flowId }],
      [RETENTION_POLICIES, { flow_id: flowId }],
    ] as const) {
      expect([name, await mongo.collection(name).countDocuments(filter)]).toEqual([name, 0]);
    }
    expect(await new PayloadStore(mongo).get(company, payload)).toBeNull();
    expect((await told()).toSorted()).toEqual([
      ['flows', 1],
      ['plays', 600],
    ]);
  });

  it('leaves one whose erasure has begun until a play that it got all the same has ended, and holds up no other', async () => {
    await policy({ scope: 'flows.filtered', cadence: '0' });
    const filteredAt = new Date(now.getTime() - 4 * DAY);
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-newer-${i}`, { filteredAt: now });
    const [stuck, other] = [`${run}-stuck`, `${run}-other`];
    for (const id of [stuck, other]) await made.flow(id, { filteredAt });
    await flows.updateOne({ _id: stuck }, { $set: { erasingAt: now } });
    await made.plays(1, { flowId: stuck, ageMs: 5 * DAY, state: 'WAIT' });
    await made.plays(3, { flowId: stuck, ageMs: 5 * DAY });
    await cleaner().clean();
    expect(await flows.countDocuments({ _id: { $in: [stuck, other] } })).toBe(1);
    expect(await idsOf({ flowId: stuck })).toHaveLength(1);
    await plays.updateMany({ flowId: stuck }, { $set: { state: 'DONE' } });
    await cleaner().clean();
    expect(await flows.countDocuments({ _id: stuck })).toBe(0);
  });

  it('leaves one at whose play a lane is stopped, until somebody retries or skips it', async () => {
    await policy({ scope: 'flows.filtered', cadence: '0' });
    const filteredAt = new Date(now.getTime() - 4 * DAY);
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-newest-${i}`, { filteredAt: now });
    const [held, begun] = [`${run}-held`, `${run}-begun`];
    for (const id of [held, begun]) await made.flow(id, { filteredAt });
    await flows.updateOne({ _id: begun }, { $set: { erasingAt: now } });
    const stopped: string[] = [];
    for (const flowId of [held, begun]) {
      const [head = ''] = await made.plays(3, { flowId, ageMs: 5 * DAY, state: 'FAIL' });
      await plays.updateOne({ _id: head }, { $set: { lane: flowId, turns: [`lane:${flowId}#0`], laneStops: true } });
      stopped.push(head);
    }
    expect(await preview()).toMatchObject({ 'flows.filtered': [0, 12] });
    await cleaner().clean();
    expect(await flows.countDocuments({ _id: { $in: [held, begun] } })).toBe(2);
    expect(await plays.countDocuments({ _id: { $in: stopped } })).toBe(2);
    await plays.updateMany({ _id: { $in: stopped } }, { $unset: { turns: 1 } });
    await cleaner().clean();
    expect(await flows.countDocuments({ _id: { $in: [held, begun] } })).toBe(0);
  });

  it('does not let a flow be restored once its erasure has begun, and goes on with it after a death', async () => {
    await policy({ scope: 'flows.filtered', cadence: '3d' });
    const filteredAt = new Date(now.getTime() - 4 * DAY);
    for (let i = 0; i < 10; i += 1) await made.flow(`${run}-kept-${i}`, { filteredAt: now });
    const before = await made.flow(`${run}-going`, { filteredAt });
    await made.plays(600, { flowId: before._id, ageMs: 5 * DAY });
    await cleaner(() => {
      throw new Error('killed');
    }).clean();
    const repository = new FlowRepository(mongo);
    expect(await repository.findDeleted(company, before._id)).toBeNull();
    const after = { ...before, filteredAt: null, version: before.version + 1 };
    const entry = { action_type: 'flow_restored', collection: FLOWS, company_id: company.companyId } as const;
    expect(await repository.replace(company, before, after, 'u', entry)).toBe(false);
    await cleaner().clean();
    expect(await flows.findOne({ _id: before._id })).toBeNull();
    expect(await idsOf({ flowId: before._id })).toEqual([]);
  });
});

describe('retention of audit entries', () => {
  it('cuts the chain from its beginning, leaves it verifiable, and holds 14 days whatever the policy says', async () => {
    await policy({ scope: 'audit_logs', cadence: '1d', enforced_minimum: '0' });
    const entry = { action_type: 'logout', collection: 'users', company_id: company.companyId } as const;
    const entries = Array.from({ length: 30 }, () => entry);
    await mongo.transaction((session) => recordAudit(session, ...entries));
    const all = new SystemScope('spec');
    await new AuditSealer(mongo, auditKeys).sealAll(
      all,
      () => undefined,
      () => undefined,
    );
    expect(await preview()).toMatchObject({ audit: [0, 30] });
    await cleaner().clean();
    now = new Date(now.getTime() + 14 * DAY + 60_000);
    const due = (await preview()).audit?.[0] ?? 0;
    expect(due).toBeGreaterThanOrEqual(20);
    await cleaner().clean();
    expect((await told()).at(-1)).toEqual(['audit_logs', due]);
    const verdict = await new AuditVerifier(mongo, auditKeys).verify(company);
    expect(verdict).toMatchObject({ ok: true });
  });
});

describe('the log of cleanups', () => {
  it('says once a day of each collection that nothing was due', async () => {
    const entries = () => audit.countDocuments({ company_id: company.companyId, action_type: 'retention_cleanup_run' });
    await cleaner().clean();
    const first = await entries();
    expect(first).toBe(5);
    await cleaner().clean();
    expect(await entries()).toBe(first);
    now = new Date(now.getTime() + DAY);
    await cleaner().clean();
    expect(await entries()).toBe(2 * first);
  });
});

describe('the queries of a cleanup', () => {
  it('walk indexes: none reads a whole collection that grows', async () => {
    await policy({});
    await policy({ scope: 'play_layers', cadence: '1d' });
    await policy({ scope: 'flows.all', cadence: '1d' });
    await policy({ scope: 'flows.filtered', cadence: '3d' });
    await policy({ scope: null, flow_id: 'own' });
    await policy({ scope: 'flows.group', flow_group_id: 'g' });
    await made.flow(`${run}-grouped`, { groupId: 'g' });
    for (let i = 0; i < 12; i += 1) {
      await made.flow(`${run}-old-${i}`, { updatedAt: new Date(now.getTime() - 9 * DAY) });
      await made.flow(`${run}-deleted-${i}`, { filteredAt: new Date(now.getTime() - 9 * DAY) });
    }
    for (const flowId of ['own', `${run}-grouped`, 'other', `${run}-deleted-0`]) {
      await made.plays(15, { flowId, ageMs: 9 * DAY, layers: 1 });
    }
    await mongo.db.command({ profile: 2 });
    const { faults, clean } = cleaner();
    await clean();
    await mongo.db.command({ profile: 0 });
    expect(faults).toEqual([]);
    const read = await mongo.db
      .collection<{ ns: string; op: string; planSummary?: string }>('system.profile')
      .find({ planSummary: /COLLSCAN|^$/ })
      .toArray();
    const small = ['companies', 'system.profile'].map((name) => `${mongo.db.databaseName}.${name}`);
    expect(read.filter(({ ns }) => !small.includes(ns)).map(({ ns, planSummary }) => [ns, planSummary])).toEqual([]);
    expect(await mongo.db.collection('system.profile').countDocuments({ planSummary: /IXSCAN/ })).toBeGreaterThan(10);
  });
});
