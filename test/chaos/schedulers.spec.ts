// Processes of its own: schedulers are killed and frozen.
import { SCHEDULES, type ScheduleDocument } from '@weft/records';
import { waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';
import { CLOCK_TOLERANCE_MS } from './harness/play-faults.js';

const MINUTE_MS = 60_000;
const SCHEDULED = 12;
/** Minutes that no scheduler has fired. */
const BEHIND = 12;

const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler', 'scheduler', 'scheduler'],
  // Few at once: most are in Redis when it loses them.
  env: { WORKER_SLOTS: '8' },
});
const { admin, ledger, redis, plays } = cluster;
const flowId = await effectFlow(admin, ledger.url);
const accepted: string[] = [];

it('starts each delayed play once, when it is due, with three schedulers', async () => {
  answerEffects(ledger);
  const delayMs = 2_000;
  const load = startLoad(30, 10, (n) => admin.run(flowId, { args: { n }, delayMs }));
  await load.done;
  expect(load.unanswered).toEqual([]);
  expect(new Set(load.answered.map(({ value }) => value.state))).toEqual(new Set(['DEFERRED']));
  const ids = load.answered.map(({ value }) => value.playId);
  accepted.push(...ids);
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);

  const ended = await Promise.all(ids.map((id) => admin.play(id)));
  const early = ended.filter(
    ({ createdAt, startedAt }) => Date.parse(startedAt ?? '') + CLOCK_TOLERANCE_MS < Date.parse(createdAt) + delayMs,
  );
  expect(early).toEqual([]);
});

it('raises what a wiped Redis forgot without a second call, with three schedulers at it', async () => {
  answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 300) });
  const before = ledger.calls.length;
  const raised = () => plays.countDocuments({ epoch: { $gt: 1 } });
  const raisedBefore = await raised();
  const load = startLoad(80, 10, (n) => admin.run(flowId, { args: { n } }));
  await waitFor(() => ledger.calls.length > before + 20, { what: 'plays to be under way' });
  const connection = new Redis(redis.uri);
  await connection.flushall();
  await connection.quit();
  await load.done;
  accepted.push(...load.answered.map(({ value }) => value.playId));
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
  expect(await raised()).toBeGreaterThan(raisedBefore);
});

it('fires each slot of many schedules once while schedulers are killed and frozen at it', async () => {
  const flow = await admin.createFlow({ name: 'Scheduled' });
  await admin.addLayer(flow.id, { ref: 'tell', appId: 'text-template', args: { template: 'now' } });
  const client = await mongoose.mongo.MongoClient.connect(cluster.mongod.uri, { maxPoolSize: 1 });
  const schedules = client.db(cluster.servers.mongodbDb).collection<ScheduleDocument>(SCHEDULES);
  const yearly = { flow_id: flow.id, schedule: '0 0 1 1 *', overlap: 'allow', missed: 'all' };
  await Promise.all(Array.from({ length: SCHEDULED }, () => admin.send('POST', '/api/v1/scheduler/jobs', yearly)));
  const first = new Date(Math.floor(Date.now() / MINUTE_MS - BEHIND) * MINUTE_MS);
  await schedules.updateMany(
    {},
    { $set: { schedule: '* * * * *', nextSlot: first, attendAt: first }, $inc: { rev: 1 } },
  );

  const fired = () => plays.countDocuments({ trigger: 'schedule' });
  const [one, two] = cluster.of('scheduler');
  await waitFor(async () => (await fired()) > 20, { what: 'slots to be fired', withinMs: 60_000 });
  await Promise.all([one?.kill(), two?.kill('SIGSTOP')]);
  const page = () => fetch(`${cluster.of('scheduler')[2]?.url}/metrics`).then((answer) => answer.text());
  const gauge = `weft_scheduler_next_run_seconds_until{flow_id="${flow.id}"}`;
  await Promise.all([
    waitFor(async () => (await fired()) >= SCHEDULED * BEHIND, { what: 'all slots to be fired', withinMs: 60_000 }),
    waitFor(async () => (await page()).includes(gauge), { what: 'the next slot to be shown', withinMs: 60_000 }),
  ]);
  await two?.kill('SIGCONT');
  const isDone = {
    'pending.0': { $exists: false },
    nextSlot: { $gt: new Date() },
    'open.0': { $exists: false },
  } as const;
  await waitFor(async () => (await schedules.countDocuments(isDone)) === SCHEDULED, {
    ...{ what: 'the schedules to be done', withinMs: 60_000 },
  });
  await schedules.updateMany({}, { $set: { enabled: false, nextSlot: null, attendAt: null }, $inc: { rev: 1 } });

  const keys = await plays.find({ trigger: 'schedule' }, { projection: { idempotencyKey: 1 } }).toArray();
  const slots = keys.map(({ idempotencyKey }) => idempotencyKey ?? '');
  expect(new Set(slots).size).toBe(slots.length);
  const missing = (await schedules.find().toArray()).flatMap(({ _id, takenUntil }) =>
    minutesBetween(first, takenUntil).filter((slot) => !slots.includes(`schedule:${_id}:${slot}`)),
  );
  expect(missing).toEqual([]);
  expect(await page()).toContain(`weft_scheduler_runs_total{flow_id="${flow.id}",status="success"}`);
  const { body: job } = await admin.send('GET', '/api/v1/admin/jobs/scheduler');
  expect(job).toMatchObject({ name: 'scheduler', status: 'ok' });
  const { body } = await admin.send<{ jobs: object[] }>('GET', `/api/v1/scheduler/jobs?flow_id=${flow.id}`);
  expect(body.jobs).toHaveLength(SCHEDULED);
  for (const each of body.jobs) expect(each).toMatchObject({ last_status: 'DONE' });
  await client.close();
});

function minutesBetween(first: Date, until: Date | null): string[] {
  const slots: string[] = [];
  for (let at = first.getTime(); until && at <= until.getTime(); at += MINUTE_MS)
    slots.push(new Date(at).toISOString());
  return slots;
}
