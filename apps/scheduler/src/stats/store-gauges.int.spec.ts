import { Metrics } from '@weft/observability';
import { Mongo } from '@weft/store';
import { openRedis } from '@weft/redis';
import { liveMongo, liveRedis } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { StoreGauges } from './store-gauges.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
const redis = openRedis(liveRedis().url, 'commands', 'test');
await new Promise((resolve) => redis.once('ready', resolve));
afterAll(() => redis.disconnect());

it('shows how full the disk is, and the age of the last backup once there is one', async () => {
  await mongo.collection('some').insertOne({}); // of a database that is not there MongoDB says nothing
  const metrics = new Metrics();
  const gauges = new StoreGauges(mongo, metrics, redis);
  await gauges.measure();
  const share = Number(/^weft_store_used_ratio\{store="mongodb"\} (\S+)/m.exec(await metrics.page())?.[1]);
  // a disk that is almost empty, too: 5e-5
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(1);
  expect(await metrics.page()).not.toMatch(/^weft_backup_age_seconds/m);
  await mongo
    .collection<{ _id: string }>('backups')
    .insertOne({ _id: 'newest', at: new Date(Date.now() - 7_200_000) } as never);
  await gauges.measure();
  const age = /^weft_backup_age_seconds ([\d.]+)/m.exec(await metrics.page())?.[1];
  expect(Number(age)).toBeGreaterThan(7_100);
});
