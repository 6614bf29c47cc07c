import { SETTINGS, type Settings } from '@weft/config';
import { COMPANIES, USERS, type CompanyDocument, type UserDocument } from '@weft/records';
import { createIdSource } from '@weft/kernel';
import { LiveWorkers, AdmissionWindow } from '@weft/queue';
import { QueueKeys, REDIS, type Redis } from '@weft/redis';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveApi, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { app, mongo, person } = await liveApi();
const redis = app.get<Redis>(REDIS);
const keys = new QueueKeys(app.get<Settings>(SETTINGS).queue.prefix, 1);
const window = new AdmissionWindow(redis, keys);
const workersAt = (agoMs: number) =>
  new LiveWorkers(redis, keys, { fixedWindow: 0, serverNow: () => mongo.serverNow() - agoMs });
const PATH = '/api/v1/admin/queue';
const AGE_MS = 60_000;

const [one, two, op] = [await person('admin'), await person('admin'), await person('admin')];
await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });
await workersAt(0).announce('boot-1', { slots: 8, version: '1.2.3', startedAt: 1_000, running: 5 });
await workersAt(0).announce('boot-2', { slots: 8 });
await workersAt(AGE_MS).announce('dead', { slots: 8 });

/** Of each: two that a worker has, one that waits in the window, one that waits for room in its flow. */
async function plays(of: Person): Promise<void> {
  const flow = await storedFlow(mongo, of);
  const store = storedPlays(mongo, of);
  const running = { state: 'RUN', owner: 'boot-1:7', heartbeatAt: new Date() } as const;
  const createdAt = new Date(mongo.serverNow() - AGE_MS);
  const rung = [await store(flow, running), await store(flow, running), await store(flow, { createdAt })];
  await store(flow, { state: 'DEFERRED', limitKey: '', queues: [`flow:${flow}`], heartbeatAt: undefined });
  await window.takeRoom(() => 64, new Map([[of.scope.companyId, { ids: rung.map(({ _id }) => _id) }]]));
}
await plays(one);
await plays(two);

describe('the queue', () => {
  it('shows an admin what the own company has in it, and of workers the own plays', async () => {
    const { body } = await one.send('GET', PATH);
    expect(body).toMatchObject({
      shards: [{ name: 'plays-0', waiting: 1, active: 2 }],
      workers: [
        { id: 'boot-2', version: null, started_at: null, running: 0 },
        { id: 'boot-1', version: '1.2.3', started_at: '1970-01-01T00:00:01.000Z', running: 2 },
      ],
      backlog: 2,
    });
    const [shard] = body.shards as unknown as { oldest_ms: number }[];
    expect(shard?.oldest_ms).toBeGreaterThanOrEqual(AGE_MS);
  });

  it('shows an operator all companies, and who executes how many plays', async () => {
    const { body } = await op.send('GET', PATH);
    expect(body).toMatchObject({ shards: [{ name: 'plays-0', waiting: 0, active: 0, oldest_ms: null }], backlog: 2 });
    expect((body.workers as unknown as { running: number }[]).map(({ running }) => running)).toEqual([0, 5]);
  });

  it('of a company with a label has its own queues and workers, which no other company sees', async () => {
    const acme = await person('admin');
    await mongo
      .collection<CompanyDocument>(COMPANIES)
      .updateOne({ _id: acme.scope.companyId }, { $set: { worker_label: 'acme' } });
    await workersAt(0).announce('boot-3', { slots: 8, label: 'acme', startedAt: 2_000 });
    expect((await acme.send('GET', PATH)).body).toMatchObject({
      shards: [{ name: 'plays-0-acme', waiting: 0, active: 0 }],
      workers: [{ id: 'boot-3', label: 'acme' }],
    });
    const idsOf = (body: object) => (body as { workers: { id: string }[] }).workers.map(({ id }) => id);
    expect(idsOf((await one.send('GET', PATH)).body)).toEqual(['boot-2', 'boot-1']);
    const all = (await op.send('GET', PATH)).body as { readonly shards?: object };
    expect(idsOf(all)).toEqual(['boot-2', 'boot-1', 'boot-3']);
    expect(all.shards).toMatchObject([{ name: 'plays-0' }, { name: 'plays-0-acme' }]);
    await workersAt(0).leave('boot-3');
    await mongo
      .collection<CompanyDocument>(COMPANIES)
      .updateMany({ worker_label: 'acme' }, { $set: { worker_label: null } });
  });

  it('shows an operator, and nobody else, which companies have the most plays that wait', async () => {
    const [many, few] = [await person('admin'), await person('admin')];
    for (const [of, count] of [
      [many, 3],
      [few, 1],
    ] as const) {
      const flow = await storedFlow(mongo, of);
      for (let n = 0; n < count; n += 1) await storedPlays(mongo, of)(flow, { ready: true });
    }
    const shown = async (who: Person) => (await who.send('GET', PATH)).body.companies;
    const named = [many, few].map(({ scope }, i) => ({ company_id: scope.companyId, waiting: [3, 1][i] }));
    expect(await shown(op)).toMatchObject(named.map((one) => ({ ...one, name: expect.stringMatching(/./) as string })));
    expect(await shown(many)).toEqual([]);
  });

  it('of a company without plays has nothing in it', async () => {
    const nobody = await person('admin');
    const seen_at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const ofOne = {
      id: 'boot-1',
      label: null,
      version: '1.2.3',
      started_at: '1970-01-01T00:00:01.000Z',
      running: 0,
      seen_at,
    };
    const ofOther = { id: 'boot-2', label: null, version: null, started_at: null, running: 0, seen_at };
    expect((await nobody.send('GET', PATH)).body).toEqual({
      shards: [{ name: 'plays-0', waiting: 0, active: 0, oldest_ms: null }],
      workers: [ofOther, ofOne],
      backlog: 0,
      companies: [],
    });
  });

  it('shows how long plays wait that are behind a window of which all are executed', async () => {
    const full = await person('admin');
    const flow = await storedFlow(mongo, full);
    const store = storedPlays(mongo, full);
    const { _id } = await store(flow, { state: 'RUN', owner: 'boot-1:8', heartbeatAt: new Date() });
    const idOf = (minutes: number) => createIdSource(() => mongo.serverNow() - minutes * AGE_MS, minutes)();
    await store(flow, { _id: idOf(1), ready: true });
    await store(flow, { _id: idOf(2), ready: true, priority: -1 });
    await window.takeRoom(() => 1, new Map([[full.scope.companyId, { ids: [_id] }]]));
    const { body } = await full.send('GET', '/api/v1/analytics/overview');
    expect(body).toMatchObject({ running: 1, backlog: 2 });
    expect(body.oldest_ms).toBeGreaterThanOrEqual(2 * AGE_MS);
    expect(body.oldest_ms).toBeLessThan(3 * AGE_MS);
  });

  it('shows the overview of a company what runs and waits', async () => {
    const { body } = await one.send('GET', '/api/v1/analytics/overview');
    expect(body).toMatchObject({ running: 2, backlog: 2 });
    expect(body.oldest_ms).toBeGreaterThanOrEqual(AGE_MS);
  });
});

describe('while Redis is away', () => {
  beforeAll(async () => {
    const away = once(redis, 'end');
    redis.disconnect();
    await away;
  });
  // the next spec file has the same API
  afterAll(() => redis.connect());

  it('the queue is 503 to admins and operators', async () => {
    for (const each of [one, op]) {
      const { status, body, headers } = await each.send('GET', PATH);
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'store_unavailable', '2']);
      expect(body.detail).toMatch(/^Redis, which holds the queue, does not answer/);
      expect(body.title).not.toMatch(/database/i);
    }
  });

  it('the overview knows what was counted, and of what waits nothing', async () => {
    const { status, body } = await one.send('GET', '/api/v1/analytics/overview');
    expect([status, (body.series as unknown as object[]).length]).toEqual([200, 24]);
    expect(body).toMatchObject({ running: null, backlog: null, oldest_ms: null });
    expect((await one.send('GET', '/api/v1/analytics/flows')).status).toBe(200);
  });
});
