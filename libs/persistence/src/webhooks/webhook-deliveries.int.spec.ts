import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../driver/collections.js';
import { Mongo } from '../driver/mongo.js';
import { SystemScope, TenantScope } from '../scope.js';
import { WebhookDeliveriesRepository, type AttemptResult } from './webhook-deliveries.repository.js';
import { WEBHOOK_DELIVERIES, type DeliveryDocument } from './webhook-delivery.schema.js';

const live = liveMongo();
const ALL = new SystemScope('what became of attempts is stored for all companies together');
const scope = new TenantScope('company');
let mongo: Mongo;
let deliveries: WebhookDeliveriesRepository;

beforeAll(async () => {
  mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
  await ensureIndexes(mongo);
  deliveries = new WebhookDeliveriesRepository(mongo);
});
afterAll(() => mongo.close());

async function pending(id: string): Promise<DeliveryDocument> {
  const at = new Date();
  const made: DeliveryDocument = {
    ...{ _id: id, company_id: scope.companyId, webhook_id: 'w', event: 'play.done', playId: null, seq: null },
    ...{ at, order: id, body: '{}', state: 'pending', attempts: [], tries: 0, next_attempt: at, expires_at: null },
  };
  await deliveries.add(scope, [made]);
  return made;
}

const resultOf = (of: DeliveryDocument, status: number, rest: Pick<AttemptResult, 'state' | 'next_attempt'>) => ({
  ...{ id: of._id, due: of.next_attempt, ...rest },
  attempt: { at: new Date(), status, duration_ms: 1, error: null, answer: '$state' },
});
const LATER = new Date(Date.now() + 60_000);

describe('the result of an attempt', () => {
  it('is the state of its delivery, which keeps the answer as it was', async () => {
    const made = await pending('one');
    await deliveries.record(ALL, [resultOf(made, 500, { state: 'pending', next_attempt: LATER })]);
    const tried = await deliveries.find(scope, 'w', 'one');
    expect(tried).toMatchObject({ state: 'pending', tries: 1, next_attempt: LATER, expires_at: null });
    expect(tried?.attempts).toMatchObject([{ status: 500, answer: '$state' }]);
    await deliveries.record(ALL, [
      resultOf(tried as DeliveryDocument, 200, { state: 'delivered', next_attempt: null }),
    ]);
    const ended = await deliveries.find(scope, 'w', 'one');
    expect(ended).toMatchObject({ state: 'delivered', tries: 2, next_attempt: null });
    expect(ended?.expires_at).toBeInstanceOf(Date);
  });

  it('is only an attempt more when the delivery was moved on meanwhile', async () => {
    const made = await pending('two');
    await deliveries.record(ALL, [resultOf(made, 200, { state: 'delivered', next_attempt: null })]);
    await deliveries.record(ALL, [resultOf(made, 500, { state: 'pending', next_attempt: LATER })]);
    const ended = await deliveries.find(scope, 'w', 'two');
    expect(ended).toMatchObject({ state: 'delivered', tries: 1, next_attempt: null });
    expect(ended?.attempts.map(({ status }) => status)).toEqual([200, 500]);
  });

  it('is delivered, when one of two processes that sent it has stored before that it failed', async () => {
    const made = await pending('three');
    await deliveries.record(ALL, [resultOf(made, 500, { state: 'failed', next_attempt: null })]);
    await deliveries.record(ALL, [resultOf(made, 200, { state: 'delivered', next_attempt: null })]);
    expect(await deliveries.find(scope, 'w', 'three')).toMatchObject({ state: 'delivered', next_attempt: null });
    await deliveries.record(ALL, [resultOf(made, 500, { state: 'failed', next_attempt: null })]);
    expect(await deliveries.find(scope, 'w', 'three')).toMatchObject({ state: 'delivered', next_attempt: null });
  });

  it('does not undo a replay that came in between', async () => {
    const made = await pending('four');
    const replayed = new Date(made.at.getTime() + 1_000);
    await mongo
      .collection<DeliveryDocument>(WEBHOOK_DELIVERIES)
      .updateOne({ _id: 'four' }, { $set: { next_attempt: replayed } });
    await deliveries.record(ALL, [resultOf(made, 200, { state: 'delivered', next_attempt: null })]);
    expect(await deliveries.find(scope, 'w', 'four')).toMatchObject({ state: 'pending', next_attempt: replayed });
  });
});

describe('deliveries that are due', () => {
  it('are read without what became of earlier attempts', async () => {
    const made = await pending('five');
    await deliveries.record(ALL, [resultOf(made, 500, { state: 'pending', next_attempt: made.at })]);
    const now = new Date(Date.now() + 1_000);
    const found = [
      ...(await deliveries.due(scope, 'w', now, [], 100)),
      ...(await deliveries.inOrder(scope, 'w', 100)),
    ].filter(({ _id }) => _id === 'five');
    expect(found).toHaveLength(2);
    for (const each of found) expect(each).not.toHaveProperty('attempts');
  });
});
