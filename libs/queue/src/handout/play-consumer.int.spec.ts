import { QueueKeys, openRedis } from '@weft/redis';
import { liveRedis, waitFor } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { Doorbell } from './doorbell.js';
import { PlayConsumer, type HandOut } from './play-consumer.js';
import { QueueInspector } from './queue-inspector.js';

const live = liveRedis();
const redis = openRedis(live.url, 'commands', 'test');
await new Promise((resolve) => redis.once('ready', resolve));
const keys = new QueueKeys(live.prefix, 1);
const doorbell = new Doorbell(redis, keys, { ringByMs: 5_000 });
const inspector = new QueueInspector(redis, keys);
const jobOf = (playId: string) => ({ playId, companyId: 'c', flowId: 'f', epoch: 1 });
const handOuts: HandOut[] = [];
const errors: Error[] = [];
const again = new Map([['parked', 2]]);
const consumer = new PlayConsumer({
  ...{ redisUrl: live.url, keys, slots: 1, lockMs: 30_000, stalledMs: 5_000, bootId: 'w' },
  run: async (handOut) => {
    handOuts.push(handOut);
    const left = again.get(handOut.job.playId) ?? 0;
    again.set(handOut.job.playId, left - 1);
    return left > 0 ? 300 : null;
  },
  ring: (jobs) => doorbell.ring(jobs, performance.now()),
  onError: (error) => errors.push(error),
});
afterAll(async () => {
  await consumer.close(true);
  await Promise.all([doorbell.close(), inspector.close()]);
  redis.disconnect();
});

it('hands a job out again that was given back, and runs others meanwhile, although it has one slot', async () => {
  await doorbell.ring([jobOf('parked'), jobOf('other')], performance.now());
  consumer.start();
  await waitFor(() => handOuts.length === 2, { what: 'the second job' });
  expect(handOuts.map(({ job }) => job.playId)).toEqual(['parked', 'other']);
  // the reconciler counts it as an existing job
  expect(await inspector.missing([jobOf('parked')])).toEqual([]);
  await waitFor(() => handOuts.length === 4, { what: 'the job that was given back twice' });
  await waitFor(async () => (await inspector.missing([jobOf('parked')])).length === 1, { what: 'its end' });
  expect(handOuts.map(({ job }) => job)).toEqual(['parked', 'other', 'parked', 'parked'].map(jobOf));
  expect(await inspector.depth()).toEqual({ waiting: 0, active: 0 });
  expect(errors).toEqual([]);
});
