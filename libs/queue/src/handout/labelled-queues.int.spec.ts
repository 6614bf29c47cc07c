import { QueueKeys, openRedis } from '@weft/redis';
import { liveRedis, waitFor } from '@weft/testing';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { Doorbell } from './doorbell.js';
import { PlayConsumer } from './play-consumer.js';
import { QueueInspector } from './queue-inspector.js';

const live = liveRedis();
const redis = openRedis(live.url, 'commands', 'test');
await new Promise((resolve) => redis.once('ready', resolve));
const keys = new QueueKeys(live.prefix, 2);
const labels = new Map<string, string>();
const labelOf = (companyId: string) =>
  companyId === 'unknown' ? Promise.reject(new Error('MongoDB is away')) : (labels.get(companyId) ?? null);
const dropped: number[] = [];
const doorbell = new Doorbell(redis, keys, { ringByMs: 5_000, labelOf, onDropped: (count) => dropped.push(count) });
const inspector = new QueueInspector(redis, keys, () => Promise.resolve(labels));
const closing: (() => Promise<unknown>)[] = [() => doorbell.close(), () => inspector.close()];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  redis.disconnect();
});
beforeEach(() => labels.clear());

let plays = 0;
const jobOf = (companyId: string) => ({ playId: `p${(plays += 1)}`, companyId, flowId: 'f', epoch: 1 });
const ring = (...jobs: ReturnType<typeof jobOf>[]) => doorbell.ring(jobs, performance.now());

/** What a worker with this label is handed out. */
function worker(label: string | null): string[] {
  const got: string[] = [];
  const consumer = new PlayConsumer({
    ...{ redisUrl: live.url, keys: keys.of(label), slots: 4, lockMs: 30_000, stalledMs: 5_000, bootId: `w-${label}` },
    run: ({ job }) => Promise.resolve(void got.push(job.playId)).then(() => null),
    ring: (jobs) => doorbell.ring(jobs, performance.now()),
    onError: (error) => {
      throw error;
    },
  });
  closing.push(() => consumer.close(true));
  consumer.start();
  return got;
}

it('hands plays out to the workers with the label of their company, and those of other companies to those without', async () => {
  labels.set('a', 'acme').set('b', 'blue');
  const jobs = ['a', 'b', 'c', 'a', 'c'].map(jobOf);
  expect(await ring(...jobs)).toBe(true);
  const waiting = (label: string | null) => async () =>
    (await inspector.shards()).filter((shard) => shard.label === label).reduce((sum, shard) => sum + shard.waiting, 0);
  expect([await waiting('acme')(), await waiting('blue')(), await waiting(null)()]).toEqual([2, 1, 2]);
  expect(await inspector.missing(jobs)).toEqual([]);
  const [acme, common] = [worker('acme'), worker(null)];
  await waitFor(() => acme.length === 2 && common.length === 2, { what: 'plays of both' });
  expect([acme.toSorted(), common.toSorted()]).toEqual([
    [jobs[0]?.playId, jobs[3]?.playId],
    [jobs[2]?.playId, jobs[4]?.playId],
  ]);
  expect(await waiting('blue')()).toBe(1);
  expect(await inspector.isEmpty()).toBe(false);
  const blue = worker('blue');
  await waitFor(() => blue.length === 1, { what: 'the last one' });
  await waitFor(() => inspector.isEmpty(), { what: 'its end' });
});

it('misses plays whose job is in the queue of another label than that of their company, and says that labels have changed', async () => {
  const [moved, other] = [jobOf('x'), jobOf('y')];
  labels.set('x', 'former').set('y', 'away');
  await ring(moved, other);
  const before = await inspector.generation();
  expect(await inspector.generation()).toBe(before);
  for (const sureBy of ['record', 'lists'] as const) {
    labels.set('x', 'former');
    expect(await inspector.missing([moved, other], sureBy)).toEqual([]);
    labels.set('x', 'away');
    expect(await inspector.missing([moved, other], sureBy)).toEqual([moved]);
  }
  expect(await inspector.generation()).not.toBe(before);
  labels.set('x', 'former');
  expect(await inspector.generation()).toBe(before);
  await redis.del(keys.of('away').generation(1));
  expect(await inspector.generation()).not.toBe(before);
});

it('asks for the label of each company once, however many of its plays are rung for together', async () => {
  const asked: string[] = [];
  const counting = new Doorbell(redis, keys, { ringByMs: 5_000, labelOf: (id) => (asked.push(id), 'counted') });
  closing.push(() => counting.close());
  expect(await counting.ring(['a', 'b', 'a', 'a'].map(jobOf), performance.now())).toBe(true);
  expect(asked).toEqual(['a', 'b']);
});

it('rings for no play of a company whose label is not known, and leaves it to the scheduler', async () => {
  expect(await ring(jobOf('unknown'))).toBe(false);
  expect(dropped).toEqual([1]);
});
