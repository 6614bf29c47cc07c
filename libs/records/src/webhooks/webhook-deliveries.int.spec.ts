import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { Mongo, SystemScope, TenantScope } from '@weft/store';
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

describe('repeats that are made due early', () => {
  const w = 'early';
  const [soon, late] = [new Date(Date.now() + 60_000), new Date(Date.now() + 3_600_000)];
  const stored = () => mongo.collection<DeliveryDocument>(WEBHOOK_DELIVERIES);
  const read = async (id: string) => (await deliveries.find(scope, w, id)) as DeliveryDocument;

  it('are the next ones, each once in a pause of its schedule, of which its attempts take nothing', async () => {
    for (const [id, next_attempt] of [['late', late] as const, ['soon', soon] as const]) {
      await pending(id);
      await stored().updateOne({ _id: id }, { $set: { webhook_id: w, tries: 3, next_attempt } });
    }
    expect(await deliveries.countPending(scope, w, { due: 10, all: 10 })).toEqual({ due: 0, all: 2 });
    expect(await deliveries.hurry(scope, w, 1)).toBe(1);
    expect(await deliveries.countPending(scope, w, { due: 10, all: 10 })).toEqual({ due: 1, all: 2 });
    expect((await deliveries.due(scope, w, new Date(Date.now() + 1_000), [], 10))[0]).toMatchObject({
      ...{ _id: 'soon', planned_attempt: soon },
    });
    const refused = { state: 'pending', next_attempt: soon } as const;
    await deliveries.record(ALL, [{ ...resultOf(await read('soon'), 500, refused), isEarly: true }]);
    expect(await read('soon')).toMatchObject({ tries: 3, next_attempt: soon, attempts: [{ status: 500 }] });
    expect(await deliveries.hurry(scope, w, 10)).toBe(1);
    expect(await read('late')).toMatchObject({ planned_attempt: late });

    // the attempt of the schedule counts, and the pause after it may be shortened again
    await deliveries.record(ALL, [
      resultOf(await read('soon'), 500, { state: 'pending', next_attempt: late }),
      resultOf(await read('late'), 200, { state: 'delivered', next_attempt: null }),
    ]);
    expect(await read('soon')).toMatchObject({ tries: 4, next_attempt: late });
    expect(await read('soon')).not.toHaveProperty('planned_attempt');
    expect(await read('late')).toMatchObject({ state: 'delivered', tries: 4 });
    expect(await deliveries.hurry(scope, w, 10)).toBe(1);
  });

  it('have their whole schedule when they are replayed', async () => {
    const made = await pending('replayed');
    await stored().updateOne({ _id: 'replayed' }, { $set: { webhook_id: w, next_attempt: late } });
    await deliveries.hurry(scope, w, 10);
    await deliveries.addOrReplay(scope, [{ ...made, webhook_id: w }]);
    expect(await read('replayed')).toMatchObject({ tries: 0, next_attempt: made.at });
    expect(await read('replayed')).not.toHaveProperty('planned_attempt');
  });
});
