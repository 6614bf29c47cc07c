import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { Mongo, TenantScope } from '@weft/store';
import { TriggerDeliveriesRepository } from './trigger-deliveries.repository.js';
import {
  TRIGGER_BODIES,
  TRIGGER_DELIVERIES,
  type TriggerBodyDocument,
  type TriggerDeliveryDocument,
} from './trigger-delivery.schema.js';

const live = liveMongo();
const scope = new TenantScope('company');
let mongo: Mongo;
let log: TriggerDeliveriesRepository;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  log = new TriggerDeliveriesRepository(mongo);
});
afterAll(() => mongo.close());

async function deliver(trigger_id: string, n: number, bytes = 1, expires_at = new Date(Date.now() + 60_000)) {
  const _id = `${trigger_id}.${String(n).padStart(3, '0')}`;
  const of = { _id, company_id: scope.companyId, flow_id: 'flow', trigger_id, bytes, expires_at };
  const delivery: TriggerDeliveryDocument = {
    ...{ ...of, dedupe_id: _id, received_at: new Date(), outcome: 'accepted', error: null, play_id: null },
    ...{ content_type: null, headers: {}, query: {}, replay_of: null },
  };
  await log.insert(scope, delivery, { ...of, body: Buffer.alloc(bytes) });
}

async function kept(collection: string, trigger_id: string): Promise<number[]> {
  const found = await mongo
    .collection<TriggerBodyDocument | TriggerDeliveryDocument>(collection)
    .find({ trigger_id }, { sort: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => Number(_id.slice(-3)));
}

describe('the log of deliveries', () => {
  it('is trimmed to the newest ones of its trigger, of bodies fewer', async () => {
    for (let n = 0; n < 10; n += 1) await deliver('t1', n);
    for (let n = 0; n < 10; n += 1) await deliver('t2', n);
    await log.trim(scope, 't1', { deliveries: 6, bodies: 3, bodyBytes: 100 });
    expect(await kept(TRIGGER_DELIVERIES, 't1')).toEqual([4, 5, 6, 7, 8, 9]);
    expect(await kept(TRIGGER_BODIES, 't1')).toEqual([7, 8, 9]);
    expect(await kept(TRIGGER_DELIVERIES, 't2')).toHaveLength(10);
    expect(await kept(TRIGGER_BODIES, 't2')).toHaveLength(10);
  });

  it('keeps bodies up to so many bytes together', async () => {
    for (const [n, bytes] of [50, 30, 30, 30].entries()) await deliver('t3', n, bytes);
    await log.trim(scope, 't3', { deliveries: 10, bodies: 10, bodyBytes: 70 });
    expect(await kept(TRIGGER_BODIES, 't3')).toEqual([2, 3]);
    expect(await kept(TRIGGER_DELIVERIES, 't3')).toEqual([0, 1, 2, 3]);
  });

  it('is not trimmed for another company', async () => {
    for (let n = 0; n < 3; n += 1) await deliver('t4', n);
    await log.trim(new TenantScope('other'), 't4', { deliveries: 0, bodies: 0, bodyBytes: 0 });
    expect(await kept(TRIGGER_DELIVERIES, 't4')).toEqual([0, 1, 2]);
  });

  it('is deleted by MongoDB when its time is over', async () => {
    for (const name of [TRIGGER_DELIVERIES, TRIGGER_BODIES]) {
      const indexes = await mongo.collection(name).indexes();
      expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
    }
  });
});
