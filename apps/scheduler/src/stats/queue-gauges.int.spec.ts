import { loadSettings } from '@weft/config';
import { type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { Mongo, PLAYS } from '@weft/store';
import { COMPANIES, CompanyRepository, OpenWorkRepository, ensureIndexes, type CompanyDocument } from '@weft/records';
import { Doorbell, LiveWorkers, QueueInspector } from '@weft/queue';
import { QueueKeys, openRedis } from '@weft/redis';
import { aPlay, liveMongo, liveRedis, waitFor } from '@weft/testing';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { QueueGauges } from './queue-gauges.js';

const { uri, db } = liveMongo();
const { url, prefix } = liveRedis();
const MINUTE_MS = 60_000;

const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
const redis = openRedis(url, 'commands', 'spec');
await waitFor(() => redis.status === 'ready', { what: 'Redis' });
const settings = loadSettings(
  { MONGODB_URI: uri, MONGODB_DB: db, REDIS_URL: url, QUEUE_PREFIX: prefix, QUEUE_SHARDS: '2' },
  { standalone: true },
);
const keys = new QueueKeys(prefix, 2);
const doorbell = new Doorbell(redis, keys, { ringByMs: 5_000 });
const metrics = new Metrics();
const serverNow = () => mongo.serverNow();
const inspector = new QueueInspector(redis, keys);
const gauges = new QueueGauges(
  settings,
  mongo,
  metrics,
  inspector,
  new LiveWorkers(redis, keys, { fixedWindow: 0, serverNow }),
  new OpenWorkRepository(mongo),
  new CompanyRepository(mongo),
);
afterAll(async () => {
  await inspector.close();
  await doorbell.close();
  redis.disconnect();
  metrics.close();
});

async function play(companyId: string, agoMs: number, fields: Partial<Play> = {}): Promise<string> {
  const serverNow = new Date(mongo.serverNow() - agoMs);
  const accepted = aPlay({ playId: createIdSource(() => serverNow.getTime(), agoMs)(), companyId, serverNow });
  await mongo.collection<Play>(PLAYS).insertOne({ ...accepted, ...fields }, { ignoreUndefined: true });
  return accepted._id;
}

/**
 * Six plays that could run: two rung for, three waiting outside their window (one of them the oldest of all), one for
 * a turn of its flow.
 */
async function fill(): Promise<void> {
  const ids = await Promise.all([5, 4].map((minutes) => play('a', minutes * MINUTE_MS)));
  for (const minutes of [3, 2]) await play('a', minutes * MINUTE_MS, { ready: true });
  await play('a', 20 * MINUTE_MS, { ready: true, priority: -1 });
  const rung = ids.map((playId) => ({ playId, companyId: 'a', flowId: 'f', epoch: 1 }));
  expect(await doorbell.ring(rung, performance.now())).toBe(true);
  await play('b', 10 * MINUTE_MS, { state: 'DEFERRED', queues: ['flow:f'], limitKey: '', heartbeatAt: undefined });
  // of a lane that has stopped, whose other play waits
  const ofLane = { lane: 'l', laneStops: true, heartbeatAt: undefined } as const;
  await play('b', 80 * MINUTE_MS, { ...ofLane, state: 'FAIL', turns: ['lane:l#0'] });
  await play('b', 70 * MINUTE_MS, { ...ofLane, state: 'DEFERRED', queues: ['lane:l'] });
  // neither play waits for a worker
  await play('b', 60 * MINUTE_MS, { state: 'RUN', owner: 'w:1' });
  await play('b', 90 * MINUTE_MS, { state: 'WAIT', heartbeatAt: undefined });

  const workersAt = (agoMs: number) =>
    new LiveWorkers(redis, keys, { fixedWindow: 0, serverNow: () => mongo.serverNow() - agoMs });
  for (const id of ['one', 'two']) await workersAt(0).announce(id, { slots: 40, running: 1 });
  await workersAt(MINUTE_MS).announce('dead', { slots: 40, running: 40 });
}

const FIGURES = [
  ...(['run_window', 'backlog_plays', 'running_plays', 'queue_oldest_age_seconds'] as const),
  ...(['lane_waiting_plays', 'lanes_stopped'] as const),
];

/** What the page shows. Undefined: no value. */
async function shown(): Promise<readonly (number | undefined)[]> {
  const page = await metrics.page();
  expect(page).toMatch(/^weft_process_memory_bytes \d/m);
  return FIGURES.map((name) => {
    const value = new RegExp(`^weft_${name} (\\S+)$`, 'm').exec(page)?.[1];
    return value === undefined ? undefined : Math.floor(Number(value) / (name === 'queue_oldest_age_seconds' ? 60 : 1));
  });
}

const NOTHING = Array<undefined>(FIGURES.length).fill(undefined);
const FILLED = [160, 6, 2, 20, 1, 1];

describe('the gauges of what waits and runs', () => {
  it('are not there before anybody has looked, and are those of an empty queue then', async () => {
    expect(await shown()).toEqual(NOTHING);
    await gauges.measure();
    expect(await shown()).toEqual([64, 0, 0, 0, 0, 0]);
  });

  it('count what is rung, behind its window or before its gate, and are as old as the oldest of all', async () => {
    await fill();
    await gauges.measure();
    expect(await shown()).toEqual(FILLED);
  });

  it('are those of each label for its companies and workers, which those of the others do not count', async () => {
    const labelsShown = async () =>
      [...(await metrics.page()).matchAll(/^weft_label_(\w+)\{label="(\w+)"\} (\d+)$/gm)].map((found) =>
        found.slice(1).join(' '),
      );
    const company = { name: 'b', active: true, created_at: new Date() };
    await mongo.collection<CompanyDocument>(COMPANIES).insertOne({ _id: 'b', ...company, worker_label: 'acme' });
    const workers = new LiveWorkers(redis, keys, { fixedWindow: 0, serverNow });
    await workers.announce('own', { slots: 40, running: 7, label: 'idle' });
    await gauges.measure();
    // the play of b that waits for a turn of its flow
    expect(await labelsShown()).toEqual([
      ...['backlog_plays acme 1', 'backlog_plays idle 0', 'running_plays acme 0'],
      ...['running_plays idle 7', 'workers acme 0', 'workers idle 1'],
    ]);
    expect(await shown()).toEqual([160, 5, 2, 20, 1, 1]);
    await workers.leave('own');
    await mongo.collection<CompanyDocument>(COMPANIES).deleteOne({ _id: 'b' });
    await gauges.measure();
    expect(await labelsShown()).toEqual([]);
    expect(await shown()).toEqual(FILLED);
  });

  it('count jobs that workers took and do not report: those of a worker that was killed', async () => {
    const workers = new LiveWorkers(redis, keys, { fixedWindow: 0, serverNow });
    for (const id of ['one', 'two']) await workers.announce(id, { slots: 40, running: 0 });
    const lists = (name: string) => [0, 1].map((shard) => keys.jobs(shard, name));
    const [waiting, taken] = [lists('wait'), lists('active')];
    for (const [i, list] of waiting.entries()) {
      while (await redis.lmove(list, taken[i] as string, 'LEFT', 'RIGHT'));
    }
    await gauges.measure();
    expect(await shown()).toEqual([160, 4, 2, 20, 1, 1]);
    for (const [i, list] of taken.entries()) {
      while (await redis.lmove(list, waiting[i] as string, 'LEFT', 'RIGHT'));
    }
    for (const id of ['one', 'two']) await workers.announce(id, { slots: 40, running: 1 });
  });

  it('are not there while Redis is away, and are back with it', async () => {
    const away = once(redis, 'close');
    redis.disconnect(true);
    await away;
    await expect(gauges.measure()).rejects.toThrow();
    expect(await shown()).toEqual(NOTHING);
    await waitFor(() => redis.status === 'ready', { what: 'Redis again' });
    await gauges.measure();
    expect(await shown()).toEqual(FILLED);
  });

  it('are not there while MongoDB is away', async () => {
    await mongo.close();
    await expect(gauges.measure()).rejects.toThrow();
    expect(await shown()).toEqual(NOTHING);
  });
});
