import { AUDIT_LOGS, TenantScope, type AuditDocument } from '@weft/store';
import {
  COMPANIES,
  FLOW_VERSIONS,
  FLOWS,
  SCHEDULES,
  ScheduleRepository,
  USERS,
  type FlowDocument,
  type ScheduleDocument,
} from '@weft/records';
import { aLayer, aVersion } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { scheduleFixture } from '../../../../test/fixtures/schedule-fixture.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const fixture = await scheduleFixture();
const { state, firer, flow, schedule, stored, playsOf } = fixture;
/** They would come due again with each minute that passes in another test. */
afterEach(() => fixture.schedules.deleteMany({}));

function slotsOf(plays: readonly { readonly idempotencyKey?: string }[]): (string | undefined)[] {
  return plays.map(({ idempotencyKey }) => idempotencyKey);
}

describe('slots that pass without a run', () => {
  it('are one entry in the audit log, with how many and which', async () => {
    const [late, onTime] = [await flow(), await flow()];
    const id = await schedule(late, 60, { missed: 'last' });
    const nothing = await schedule(onTime, 1);
    await Promise.all([firer().pass(), firer().pass()]);
    const log = fixture.mongo.collection<AuditDocument>(AUDIT_LOGS);
    const entries = await log.find({ action_type: 'schedule_missed', resource_id: { $in: [id, nothing] } }).toArray();
    const newest = Math.floor(state.now.getTime() / MINUTE_MS) * MINUTE_MS;
    const [first, last] = [new Date(newest - 59 * MINUTE_MS), new Date(newest - MINUTE_MS)];
    expect(entries.map(({ resource_id, changes }) => [resource_id, changes.missed?.after])).toEqual([
      [id, { count: 59, first, last }],
    ]);
    expect(entries[0]?.changes.flow_id?.after).toBe(late._id);
  });
});

describe('three schedulers', () => {
  it('whose clocks are an hour apart fire each slot of many schedules once, and look at none again', async () => {
    const flows = await Promise.all(Array.from({ length: 6 }, () => flow()));
    const ids = await Promise.all(flows.map((each) => schedule(each, 8)));
    const firers = [firer(), firer({ skewMs: HOUR_MS }), firer({ skewMs: -HOUR_MS })];
    await Promise.all(firers.map((each) => each.pass()));
    await Promise.all(firers.map((each) => each.pass()));
    for (const [i, each] of flows.entries()) {
      const slots = slotsOf(await playsOf(each._id));
      expect(slots).toHaveLength(8);
      expect(new Set(slots).size).toBe(8);
      const { nextSlot, attendAt, pending } = await stored(ids[i] ?? '');
      expect(pending).toEqual([]);
      expect(nextSlot).toEqual(attendAt);
      expect(nextSlot?.getTime()).toBe(state.now.getTime() + MINUTE_MS / 2);
    }
  });

  it('finish what one of them leaves between any two steps, without a second play', async () => {
    const one = await flow();
    const id = await schedule(one, 3);
    await firer({ makes: 1 }).pass();
    expect((await stored(id)).pending).toHaveLength(2);
    expect(await playsOf(one._id)).toHaveLength(1);
    fixture.pass(6_000);
    await expect(firer({ makes: 1, diesBeforeSettling: true }).pass()).rejects.toThrow('killed');
    expect((await stored(id)).pending).toHaveLength(2);
    expect(await playsOf(one._id)).toHaveLength(2);
    await firer().pass();
    expect(await playsOf(one._id)).toHaveLength(2); // the other schedulers give it time to finish
    fixture.pass(6_000);
    await Promise.all([firer().pass(), firer().pass()]);
    const plays = await playsOf(one._id);
    expect(plays).toHaveLength(3);
    expect(await stored(id)).toMatchObject({ pending: [] });
    expect(new Set((await stored(id)).open)).toEqual(new Set(plays.map(({ _id }) => _id)));
    expect(state.faults).toEqual([new Error('killed'), new Error('killed')]);
  });
});

describe('a slot whose play has failed, of a schedule that was restored from a backup', () => {
  const layers = [aLayer('paid'), aLayer('shipped')];
  const done = { position: 0, ref: 'paid', name: 'paid', state: 'DONE', out: { receipt: 7 }, attempts: 1, by: 'w' };

  /** Its only slot has been fired, and its play has failed at the second layer. */
  async function failed(fields: Partial<ScheduleDocument> = {}) {
    const one = await flow();
    const id = await schedule(one, 1, { args: { n: 1 }, ...fields });
    const asBefore = await stored(id);
    const version = { ...aVersion(layers, { flowId: one._id, companyId: one.company_id }), _id: `${one._id}:1` };
    await fixture.mongo.collection<{ _id: string }>(FLOW_VERSIONS).insertOne(version);
    await firer().pass();
    const [play] = await playsOf(one._id);
    const times = { startedAt: play!.createdAt, completedAt: play!.createdAt };
    await fixture.plays.updateOne({ _id: play!._id }, {
      $set: { state: 'FAIL', completedAt: new Date(0), cursor: 1, layers: [{ ...done, ...times, outBytes: 13 }] },
      $unset: { heartbeatAt: 1 },
    } as object);
    return { one, id, play: play!, restore: () => fixture.schedules.replaceOne({ _id: id }, asBefore) };
  }

  it('goes on with that play, once, whoever fires it', async () => {
    const { one, id, play, restore } = await failed();
    await restore();
    await Promise.all([firer().pass(), firer().pass(), firer().pass()]);
    const plays = await playsOf(one._id);
    expect(plays.map(({ retryOf }) => retryOf).toSorted()).toEqual([play._id, undefined]);
    const retry = plays.find(({ retryOf }) => retryOf === play._id);
    expect(retry).toMatchObject({ state: 'NEW', key: play.key, layers: [{ ref: 'paid', out: { receipt: 7 } }] });
    expect(plays.find(({ _id }) => _id === play._id)).not.toHaveProperty('key');
    expect(await stored(id)).toMatchObject({ pending: [], open: [retry?._id] });
    await restore();
    await firer().pass();
    expect(await playsOf(one._id)).toHaveLength(2);
    expect(await stored(id)).toMatchObject({ pending: [] });
  });

  it('is a play of its own when its schedule has other args now', async () => {
    const { one, id, play, restore } = await failed();
    await restore();
    await fixture.schedules.updateOne({ _id: id }, { $set: { args: { n: 2 } } });
    await firer().pass();
    const other = (await playsOf(one._id)).find(({ _id }) => _id !== play._id);
    expect(other).toMatchObject({ state: 'NEW', key: play.key, layers: [], args: { n: 2 } });
    expect(other).not.toHaveProperty('retryOf');
  });
});

describe('an hour in which no scheduler runs', () => {
  it.each([
    ['none', 0],
    ['last', 1],
    ['all', 60],
  ] as const)('leaves of a schedule of every minute with missed "%s": %i plays', async (missed, count) => {
    const one = await flow();
    await schedule(one, 60, { missed });
    await firer().pass();
    await firer().pass();
    expect(await playsOf(one._id)).toHaveLength(count);
  });
});

describe('a slot that comes while an earlier run is open', () => {
  it('is recorded as SKIP, and the schedule shows the run', async () => {
    const one = await flow();
    const id = await schedule(one, 2, { overlap: 'skip' });
    await firer().pass();
    const [first, second] = await playsOf(one._id);
    expect(first).toMatchObject({ state: 'NEW', trigger: 'schedule', triggeredBy: one.createdBy });
    expect(second).toMatchObject({ state: 'SKIP', trigger: 'schedule' });
    expect((await stored(id)).last).toMatchObject({ playId: first?._id });
    fixture.pass(MINUTE_MS);
    await firer().pass();
    expect((await playsOf(one._id)).map((play) => play.state)).toEqual(['NEW', 'SKIP', 'SKIP']);
    await fixture.end(one._id);
    fixture.pass(MINUTE_MS);
    await firer().pass();
    expect((await playsOf(one._id)).map((play) => play.state)).toEqual(['DONE', 'SKIP', 'SKIP', 'NEW']);
  });

  it('waits with "queue", and every one has its turn', async () => {
    const one = await flow();
    const id = await schedule(one, 3, { overlap: 'queue' });
    for (const count of [1, 2, 3]) {
      await firer().pass();
      await firer().pass();
      expect(await playsOf(one._id)).toHaveLength(count);
      await fixture.end(one._id);
    }
    await firer().pass();
    expect(await playsOf(one._id)).toHaveLength(3);
    expect(await stored(id)).toMatchObject({ pending: [], open: [] });
    expect(state.ends.filter((end) => end === `${one._id} DONE`)).toHaveLength(3);
  });

  it('runs beside it with "allow"', async () => {
    const one = await flow();
    await schedule(one, 2, { overlap: 'allow' });
    await firer().pass();
    expect((await playsOf(one._id)).map((play) => play.state)).toEqual(['NEW', 'NEW']);
  });
});

describe('a schedule', () => {
  const flows = fixture.mongo.collection<FlowDocument>(FLOWS);
  const users = fixture.mongo.collection<{ _id: string }>(USERS);
  const companies = fixture.mongo.collection<{ _id: string }>(COMPANIES);

  it.each([
    [
      'its flow was deleted',
      (one: FlowDocument, rests: boolean) =>
        flows.updateOne({ _id: one._id }, { $set: { filteredAt: rests ? new Date() : null } }),
    ],
    [
      'its flow is disabled',
      (one: FlowDocument, rests: boolean) => flows.updateOne({ _id: one._id }, { $set: { enabled: !rests } }),
    ],
    [
      'its flow is a blueprint',
      (one: FlowDocument, rests: boolean) => flows.updateOne({ _id: one._id }, { $set: { isBlueprint: rests } }),
    ],
    [
      'its creator is deactivated',
      (one: FlowDocument, rests: boolean) =>
        users.updateOne({ _id: one.createdBy }, { $set: { 'company_roles.0.deactivated': rests } }),
    ],
    [
      'its creator may not run it any more',
      (one: FlowDocument, rests: boolean) =>
        users.updateOne({ _id: one.createdBy }, { $set: { 'company_roles.0.role': rests ? 'none' : 'flow_editor' } }),
    ],
    [
      'its company is closed',
      (one: FlowDocument, rests: boolean) => companies.updateOne({ _id: one.company_id }, { $set: { active: !rests } }),
    ],
  ])('rests while %s, and wakes with the slots that come then', async (_why, set) => {
    const one = await flow();
    const id = await schedule(one, 5);
    const scheduler = firer();
    await set(one, true);
    await scheduler.pass();
    expect(await playsOf(one._id)).toEqual([]);
    expect(await stored(id)).toMatchObject({ rested: true, pending: [] });
    await set(one, false);
    fixture.pass(MINUTE_MS);
    await scheduler.pass();
    expect(await playsOf(one._id)).toHaveLength(1);
    expect((await stored(id)).rested).toBe(false);
  });

  it('meets the rules of any run: concurrency limit, condition, backlog', async () => {
    const limited = await flow({
      settings: { concurrency: 1, timeoutMs: 60_000, onMissing: 'fail', maxOutputBytes: null },
    });
    const conditional = await flow({ when: '{{ $prev.args.go }}' });
    await schedule(limited, 1);
    const turnedAway = await schedule(conditional, 1);
    await firer().pass();
    expect(await playsOf(limited._id)).toMatchObject([{ limitKey: '' }]);
    expect(await playsOf(conditional._id)).toMatchObject([{ state: 'SKIP' }]);
    expect(await stored(turnedAway)).toMatchObject({ last: { state: 'SKIP' }, open: [] });

    const full = await flow({ settings: { concurrency: 1, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } });
    const id = await schedule(full, 6);
    const scheduler = firer({ backlogMax: 3 });
    await scheduler.pass();
    const made = (await playsOf(full._id)).length;
    // three wait, and one may have got a turn of its flow meanwhile; what counts twice for a moment makes it less
    expect(made).toBeGreaterThanOrEqual(2);
    expect(made).toBeLessThanOrEqual(4);
    expect((await stored(id)).pending).toHaveLength(6 - made);
    fixture.pass(6_000);
    await firer().pass();
    expect(new Set(slotsOf(await playsOf(full._id))).size).toBe(6);
    expect(await stored(id)).toMatchObject({ pending: [] });
  });

  it('counts the end of each run once, and remembers how the last one ended', async () => {
    const one = await flow();
    const id = await schedule(one, 1);
    const firers = [firer(), firer(), firer()];
    await firers[0]?.pass();
    await fixture.end(one._id);
    await Promise.all(firers.map((each) => each.pass()));
    expect(state.ends.filter((end) => end.startsWith(one._id))).toEqual([`${one._id} DONE`]);
    const { last } = await stored(id);
    expect(last).toMatchObject({ state: 'DONE' });
    expect(last?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('is erased with its flow, in the transaction of that', async () => {
    const [one, other] = [await flow(), await flow()];
    await schedule(one, -5);
    const kept = await schedule({ ...other, company_id: one.company_id }, -5);
    const repository = new ScheduleRepository(fixture.mongo);
    const scope = new TenantScope(one.company_id);
    const erased = await fixture.mongo.transaction((session) => repository.removeOfFlow(session, scope, one._id));
    expect(erased).toBe(1);
    expect(await fixture.mongo.collection(SCHEDULES).countDocuments({ company_id: one.company_id })).toBe(1);
    expect((await stored(kept)).flow_id).toBe(other._id);
  });
});
