import { playJobId, queueJobId, type PlayJob } from '@weft/contracts';
import { QueueKeys, openRedis } from '@weft/redis';
import { liveRedis, privateRedis, waitFor } from '@weft/testing';
import { RedisQueueBackend } from 'bullmq';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Doorbell } from './doorbell.js';
import { PlayConsumer, type HandOut } from './play-consumer.js';
import { QueueInspector } from './queue-inspector.js';

const live = liveRedis();
const HOUR_MS = 3_600_000;
let queues = 0;

const jobOf = (companyId: string, n: number): PlayJob => ({
  ...{ playId: `${companyId}${n}`, companyId },
  ...{ flowId: 'f', epoch: 1 },
});
const jobsOf = (companyId: string, count: number) => Array.from({ length: count }, (_, n) => jobOf(companyId, n));
const idsOf = (handOuts: readonly HandOut[]) => handOuts.map(({ job }) => job.playId);

/** A queue of its own, and workers whose plays run until the test ends them. */
async function queue({ url = live.url, shards = 1, playsPerJob = 1 } = {}) {
  const redis = openRedis(url, 'commands', 'test');
  await new Promise((resolve) => redis.once('ready', resolve));
  queues += 1;
  const keys = new QueueKeys(`${live.prefix}-${queues}`, shards);
  const doorbell = new Doorbell(redis, keys, { ringByMs: 5_000, playsPerJob: () => playsPerJob });
  const inspector = new QueueInspector(redis, keys);
  const consumers: PlayConsumer[] = [];
  onTestFinished(async () => {
    await Promise.all(consumers.map((consumer) => consumer.close(true)));
    await Promise.all([doorbell.close(), inspector.close()]);
    redis.disconnect();
  });
  return {
    redis,
    keys,
    inspector,
    handedOutOnce: async ({ playId, epoch }: PlayJob) => {
      const record = keys.job(keys.shardOf(playId), playJobId({ playId, epoch }));
      await waitFor(async () => (await redis.hget(record, 'ats')) === '1', { what: `the hand-out of ${playId}` });
    },
    ring: async (jobs: readonly PlayJob[]) => expect(await doorbell.ring(jobs, performance.now())).toBe(true),
    worker(slots: number, clockMs = Date.now) {
      const runs: HandOut[] = [];
      const errors: Error[] = [];
      const ends = new Map<string, () => void>();
      let isLetGo = false;
      const run = async (handOut: HandOut) => {
        runs.push(handOut);
        if (!isLetGo) await new Promise<void>((end) => ends.set(handOut.job.playId, end));
        return null;
      };
      const consumer = new PlayConsumer({
        ...{
          redisUrl: url,
          keys,
          slots,
          lockMs: 30_000,
          stalledMs: 5_000,
          bootId: `w${consumers.length}`,
          run,
          clockMs,
        },
        ring: (jobs) => doorbell.ring(jobs, performance.now()),
        onError: (error) => errors.push(error),
      });
      consumers.push(consumer);
      consumer.start();
      return {
        runs,
        errors,
        consumer,
        end: (playId: string) => ends.get(playId)?.(),
        claim: () => runs.forEach(({ onClaimed }) => onClaimed?.()),
        letGo() {
          isLetGo = true;
          for (const end of ends.values()) end();
        },
      };
    },
  };
}

const isEmpty = async ({ inspector }: Awaited<ReturnType<typeof queue>>) => {
  await waitFor(() => inspector.isEmpty(), { what: 'the end of all jobs', withinMs: 30_000 });
};

it('runs a company’s play while the long plays of another have all slots, and all of these once', async () => {
  const q = await queue();
  const { ring, worker } = q;
  await ring(jobsOf('a', 30));
  const { runs, errors, letGo } = worker(10);
  await waitFor(() => runs.length === 10, { what: 'all slots to be taken' });
  await ring([jobOf('b', 0)]);
  await waitFor(() => runs.length > 10, { what: 'the other company’s play' });
  expect(idsOf(runs).slice(10)).toEqual(['b0']);
  // the reserve is taken, too: the next one waits for a slot
  await ring([jobOf('c', 0)]);
  letGo();
  await isEmpty(q);
  const all = [...jobsOf('a', 30), jobOf('b', 0), jobOf('c', 0)];
  expect(idsOf(runs).sort()).toEqual(all.map(({ playId }) => playId).sort());
  expect(runs.filter(({ redelivered }) => redelivered)).toEqual([]);
  expect(errors).toEqual([]);
});

it('fills a slot that comes free with one that was given back, before its time', async () => {
  const { ring, worker } = await queue();
  await ring(jobsOf('a', 50));
  // what it gives back is not handed out again by itself
  const { runs, end } = worker(1, () => Date.now() + HOUR_MS);
  await ring([jobOf('b', 0)]);
  await waitFor(() => runs.length === 2, { what: 'the other company’s play' });
  end('a0');
  end('b0');
  await waitFor(() => runs.length === 3, { what: 'the next play' });
  expect(runs[2]).toMatchObject({ job: { companyId: 'a' }, redelivered: false });
});

it('counts what it gave back among what waits', async () => {
  const { ring, worker, inspector } = await queue();
  const rungBefore = new Date();
  await ring(jobsOf('a', 2).map((job) => ({ ...job, epoch: 2 })));
  worker(1);
  await waitFor(async () => (await inspector.depth()).waiting === 1, { what: 'one to be given back' });
  const [shard] = await inspector.shards();
  expect(shard).toMatchObject({ waiting: 1, active: 1 });
  expect(shard?.oldestSince?.getTime()).toBeGreaterThanOrEqual(rungBefore.getTime());
});

it('leaves what waits for a slot to other workers when it stops taking, whatever their clocks', async () => {
  const q = await queue();
  await q.ring(jobsOf('a', 3));
  const stopping = q.worker(2, () => Date.now() + HOUR_MS);
  await q.handedOutOnce(jobOf('a', 2));
  await stopping.consumer.stopTaking();
  const other = q.worker(2);
  await waitFor(() => other.runs.length === 1, { what: 'the play that waited' });
  expect(other.runs).toMatchObject([{ job: jobOf('a', 2), redelivered: false }]);
  expect(stopping.runs).toHaveLength(2);
});

it('does not give back a job that another worker has by now', async () => {
  const { redis, keys, ring, worker, handedOutOnce } = await queue();
  await ring(jobsOf('a', 2));
  const frozen = worker(1);
  const record = keys.job(0, 'a1-1');
  await handedOutOnce(jobOf('a', 1));
  // what BullMQ does after the lock of a frozen worker has expired
  await redis
    .multi()
    .del(`${record}:lock`)
    .lrem(keys.jobs(0, 'active'), 1, 'a1-1')
    .rpush(keys.jobs(0, 'wait'), 'a1-1')
    .exec();
  const other = worker(1);
  await waitFor(() => other.runs.length === 1, { what: 'the other worker to take it' });
  await waitFor(() => frozen.errors.length > 0, { what: 'the first worker to give it back' });
  expect(other.runs).toMatchObject([{ job: jobOf('a', 1), redelivered: true }]);
  expect(await redis.hget(record, 'ats')).toBe('2');
  expect(await redis.lpos(keys.jobs(0, 'active'), 'a1-1')).not.toBeNull();
});

it('gives back what waits for a slot when Redis is there again', async () => {
  const server = await privateRedis({ persistent: true });
  const q = await queue({ url: server.uri });
  await q.ring(jobsOf('a', 2));
  const { runs, letGo } = q.worker(1);
  await q.handedOutOnce(jobOf('a', 1));
  await server.kill();
  const givenBack = vi.spyOn(RedisQueueBackend.prototype, 'moveToDelayed');
  onTestFinished(() => givenBack.mockRestore());
  await waitFor(() => givenBack.mock.calls.length === 1, { what: 'it to be given back' });
  await server.start();
  await waitFor(() => q.redis.status === 'ready', { what: 'Redis' });
  await q.ring([jobOf('b', 0)]);
  await waitFor(() => runs.length === 2, { what: 'the other company’s play' });
  expect(idsOf(runs)).toEqual(['a0', 'b0']);
  letGo();
  await isEmpty(q);
  expect(idsOf(runs)).toEqual(['a0', 'b0', 'a1']);
  expect(runs.map(({ redelivered }) => redelivered)).toEqual([false, false, false]);
});

it('keeps a reserve in each shard, and shares it among companies', async () => {
  const q = await queue({ shards: 4 });
  const { keys, ring, worker } = q;
  await ring(jobsOf('a', 200));
  const { runs, letGo } = worker(8);
  await waitFor(() => runs.length === 8, { what: 'all slots to be taken' });
  const others = Array.from({ length: 4 }, (_, shard) =>
    Array.from({ length: 20 }, (_each, n) => jobOf('bcde'.charAt(shard), n)).find(
      (job) => keys.shardOf(job.playId) === shard,
    ),
  ).filter((job) => job !== undefined);
  await ring(others);
  await waitFor(() => runs.length === 8 + others.length, { what: 'the plays of the other companies' });
  expect(others).toHaveLength(4);
  letGo();
  await isEmpty(q);
  expect(new Set(idsOf(runs)).size).toBe(204);
  expect(runs).toHaveLength(204);
});

it('lets two workers run what either gave back, each job once', async () => {
  const q = await queue();
  await q.ring(jobsOf('a', 120));
  const workers = [q.worker(5), q.worker(5)];
  const all = () => workers.flatMap(({ runs }) => runs);
  await waitFor(() => all().length === 10, { what: 'all slots to be taken' });
  await q.ring([jobOf('b', 0)]);
  await waitFor(() => all().length === 11, { what: 'the other company’s play' });
  const [one] = workers;
  one?.letGo();
  await waitFor(() => all().length >= 110, { what: 'the jobs that the other worker gave back' });
  for (const { letGo } of workers) letGo();
  await isEmpty(q);
  expect(new Set(idsOf(all())).size).toBe(121);
  expect(all()).toHaveLength(121);
  expect(all().filter(({ redelivered }) => redelivered)).toEqual([]);
});

describe('a job of several plays', () => {
  /** What BullMQ does after the lock of a frozen worker has expired. */
  const loseLock = async ({ redis, keys }: Awaited<ReturnType<typeof queue>>, jobId: string) => {
    await redis
      .multi()
      .del(`${keys.job(0, jobId)}:lock`)
      .lrem(keys.jobs(0, 'active'), 1, jobId)
      .rpush(keys.jobs(0, 'wait'), jobId)
      .exec();
  };
  const groupId = (plays: readonly PlayJob[]) => queueJobId({ companyId: 'a', plays });

  it('has plays of one company, each of which counts and runs once', async () => {
    const q = await queue({ playsPerJob: 8 });
    const jobs = [...jobsOf('a', 20), ...jobsOf('b', 3), { ...jobOf('a', 20), epoch: 2 }];
    await q.ring(jobs);
    expect(await q.redis.llen(q.keys.jobs(0, 'wait'))).toBe(5);
    expect(await q.inspector.depth()).toEqual({ waiting: 24, active: 0 });
    expect(await q.inspector.missing([...jobs, jobOf('a', 99)])).toEqual([jobOf('a', 99)]);
    expect(await q.inspector.missing([...jobs, jobOf('a', 99)], 'lists')).toEqual([jobOf('a', 99)]);
    const { runs, letGo, errors } = q.worker(30);
    letGo();
    await isEmpty(q);
    expect(idsOf(runs).sort()).toEqual(jobs.map(({ playId }) => playId).sort());
    expect(runs.filter(({ redelivered }) => redelivered)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('leaves to other workers what finds no slot', async () => {
    const q = await queue({ playsPerJob: 8 });
    await q.ring(jobsOf('a', 8));
    const one = q.worker(3);
    await waitFor(() => one.runs.length === 3, { what: 'all slots to be taken' });
    one.claim();
    await waitFor(async () => (await q.inspector.depth()).active === 0, { what: 'the others to be given back' });
    expect(await q.inspector.missing(jobsOf('a', 8))).toEqual(jobsOf('a', 3));
    await one.consumer.stopTaking();
    const other = q.worker(8);
    await waitFor(() => other.runs.length === 5, { what: 'the others' });
    one.letGo();
    other.letGo();
    await isEmpty(q);
    expect([...one.runs, ...other.runs].map(({ job }) => job)).toEqual(jobsOf('a', 8));
    expect([...one.runs, ...other.runs].filter(({ redelivered }) => redelivered)).toEqual([]);
  });

  it('stays the job of a play that has begun until the play has an owner, however long its claim takes', async () => {
    const q = await queue({ playsPerJob: 8 });
    await q.ring(jobsOf('a', 8));
    const { runs, claim, consumer } = q.worker(3);
    await waitFor(() => runs.length === 3, { what: 'all slots to be taken' });
    await consumer.stopTaking(); // what finds no slot is to be given back at once
    for (let answers = 0; answers < 100; answers += 1) await q.redis.ping(); // what is given back would be so by then
    expect(await q.inspector.missing(jobsOf('a', 8), 'lists')).toEqual([]);
    expect(await q.inspector.depth()).toEqual({ waiting: 0, active: 8 });
    claim();
    await waitFor(async () => (await q.inspector.depth()).active === 0, { what: 'the others to be given back' });
    expect(await q.inspector.missing(jobsOf('a', 8), 'lists')).toEqual(jobsOf('a', 3));
  });

  it('ends when each play has an owner, and the worker goes on as plays end', async () => {
    const q = await queue({ playsPerJob: 4 });
    await q.ring(jobsOf('a', 8));
    const { runs, claim, end } = q.worker(4);
    await waitFor(() => runs.length === 4, { what: 'all slots to be taken' });
    claim();
    await waitFor(async () => (await q.inspector.missing(jobsOf('a', 4))).length === 4, { what: 'the end of the job' });
    for (const n of [0, 1, 2]) end(`a${n}`);
    await waitFor(() => runs.length === 7, { what: 'the next plays' });
    claim();
    for (const n of [3, 4, 5, 6]) end(`a${n}`);
    await waitFor(() => runs.length === 8, { what: 'the last play' });
    end('a7');
    await isEmpty(q);
    expect(idsOf(runs)).toEqual(jobsOf('a', 8).map(({ playId }) => playId));
  });

  it('does not keep the worker from the place of a play that has ended while others of the job have neither ended nor an owner', async () => {
    const q = await queue({ playsPerJob: 4 });
    await q.ring(jobsOf('a', 4));
    const { runs, end, letGo } = q.worker(4);
    await waitFor(() => runs.length === 4, { what: 'all slots to be taken' });
    await q.ring([jobOf('b', 0)]);
    await waitFor(() => runs.length === 5, { what: 'the reserve to be taken' });
    await q.ring([jobOf('c', 0)]);
    end('a0');
    await waitFor(() => runs.length === 6, { what: 'the place to be taken' });
    letGo();
    await isEmpty(q);
  });

  it('that BullMQ has given up takes no place', async () => {
    const q = await queue({ playsPerJob: 2 });
    await q.ring(jobsOf('a', 2));
    await q.redis.hset(q.keys.job(0, groupId(jobsOf('a', 2))), 'defa', 'job stalled more than allowable limit');
    const { runs, letGo } = q.worker(1);
    await waitFor(async () => (await q.inspector.failed(1)).length === 1, { what: 'it to be given up' });
    await q.ring([jobOf('b', 0), jobOf('c', 0)]);
    await waitFor(() => runs.length === 2, { what: 'the plays of other jobs, in the slot and in the reserve' });
    expect(idsOf(runs)).toEqual(['b0', 'c0']);
    letGo();
  });

  it('is split when it is handed out again: each of its plays may be a suspect', async () => {
    const q = await queue({ playsPerJob: 8 });
    await q.ring(jobsOf('a', 3));
    const frozen = q.worker(3);
    await waitFor(() => frozen.runs.length === 3, { what: 'the first worker to take it' });
    await frozen.consumer.stopTaking();
    await loseLock(q, groupId(jobsOf('a', 3)));
    const other = q.worker(3);
    await waitFor(() => other.runs.length === 3, { what: 'the other worker to take its plays' });
    expect(other.runs).toMatchObject([{ redelivered: true }, { redelivered: true }, { redelivered: true }]);
    expect(new Set(other.runs.map(({ job }) => job))).toEqual(new Set(jobsOf('a', 3)));
    frozen.letGo();
    other.letGo();
    await isEmpty(q);
  });

  it('is given back whole, or what has not begun of it, when the worker stops', async () => {
    const q = await queue({ playsPerJob: 8 });
    await q.ring(jobsOf('a', 5));
    const stopping = q.worker(2, () => Date.now() + HOUR_MS);
    await waitFor(() => stopping.runs.length === 2, { what: 'all slots to be taken' });
    await stopping.consumer.stopTaking();
    stopping.claim();
    const other = q.worker(5);
    await waitFor(() => other.runs.length === 3, { what: 'the plays that waited' });
    stopping.letGo();
    other.letGo();
    await isEmpty(q);
    expect([...stopping.runs, ...other.runs].filter(({ redelivered }) => redelivered)).toEqual([]);
  });
});

it('a consumer that never reached Redis closes at once', async () => {
  const failed = Promise.withResolvers<Error>();
  const ofNobody = { redisUrl: 'redis://127.0.0.1:1', keys: new QueueKeys(live.prefix, 1), bootId: 'w' };
  const times = { slots: 1, lockMs: 30_000, stalledMs: 5_000 };
  const calls = { run: () => Promise.resolve(null), ring: () => Promise.resolve(true), onError: failed.resolve };
  const consumer = new PlayConsumer({ ...ofNobody, ...times, ...calls });
  consumer.start();
  await failed.promise;
  await consumer.stopTaking();
  const asked = performance.now();
  await consumer.close(false);
  expect(performance.now() - asked).toBeLessThan(2_000);
});
