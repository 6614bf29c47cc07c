import type { Play } from '@weft/engine';
import { ChangeSequencer, PLAYS } from '@weft/store';
import {
  WEBHOOK_DELIVERIES,
  WEBHOOKS,
  WebhookDeliveriesRepository,
  WebhookOutboxesRepository,
  WebhookRepository,
  type DeliveryDocument,
  type WebhookDocument,
} from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { playMoves } from '../../../../test/fixtures/ended-play.js';
import { CompanyOutbox } from './company-outbox.js';

const { mongo, person } = await liveApi();
const moves = playMoves(mongo);
const outboxes = new WebhookOutboxesRepository(mongo);
const webhooks = new WebhookRepository(mongo);
const deliveries = new WebhookDeliveriesRepository(mongo);

async function endpoint(admin: Person): Promise<string> {
  const body = { name: 'spec', url: 'http://127.0.0.1:9/', events: ['play.done'] };
  const answer = await admin.send('POST', '/api/v1/webhooks', { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return textOf(answer.body.id);
}

const sequencer = new ChangeSequencer(mongo);
const outboxWith = (pass: ChangeSequencer['pass'], maxPending?: number) =>
  new CompanyOutbox({ mongo, sequencer: { pass }, base: 'http://127.0.0.1:9', maxPending });

async function foundOf(admin: Person, webhookId: string): Promise<(string | null)[]> {
  const { items } = await deliveries.list(admin.scope, webhookId, undefined, { page: 0, size: 100, after: null });
  return items.map(({ playId }) => playId);
}

describe('the outbox of a company', () => {
  it('has the events of an endpoint that is made during a pass', async () => {
    const admin = await person('admin');
    const newPlay = storedPlays(mongo, admin);
    const flowId = await storedFlow(mongo, admin);
    const first = await endpoint(admin);
    let second = '';
    let playId = '';
    const outbox = outboxWith(async (scope) => {
      if (second === '') {
        second = await endpoint(admin);
        playId = (await moves.end(await newPlay(flowId)))._id;
      }
      await sequencer.pass(scope);
    });
    for (let i = 0; i < 2; i += 1) await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, first)).toEqual([playId]);
    expect(await foundOf(admin, second)).toEqual([playId]);
  });

  it('is not moved back by a process that stood still, and has its events once', async () => {
    const admin = await person('admin');
    const flowId = await storedFlow(mongo, admin);
    const id = await endpoint(admin);
    const all = await webhooks.all(admin.scope);
    const gate = Promise.withResolvers<undefined>();
    const frozen = outboxWith((scope) => gate.promise.then(() => sequencer.pass(scope)));
    const { _id } = await moves.end(await storedPlays(mongo, admin)(flowId));
    const passing = frozen.pass(admin.scope, all);
    await outboxWith((scope) => sequencer.pass(scope)).pass(admin.scope, all);
    const further = ((await outboxes.find(admin.scope))?.next_batch ?? 0) + 5;
    expect(await outboxes.moveOn(admin.scope, {}, { next_batch: further })).toBe(true);
    gate.resolve(undefined);
    await passing;
    expect((await outboxes.find(admin.scope))?.next_batch).toBe(further);
    expect(await foundOf(admin, id)).toEqual([_id]);
  });

  it('has nothing that happened before an endpoint was made, though the first walk finds it later', async () => {
    const admin = await person('admin');
    const newPlay = storedPlays(mongo, admin);
    const flowId = await storedFlow(mongo, admin);
    const longAgo = new Date(Date.now() - 3_600_000);
    const old = await moves.end(await newPlay(flowId));
    await mongo.collection<Play>(PLAYS).updateOne({ _id: old._id }, { $set: { 'log.$[].at': longAgo } });
    const id = await endpoint(admin);
    // as it is while the walk goes on when an endpoint is made
    await mongo.collection('change_feeds').deleteOne({ _id: admin.scope.companyId as never });
    await mongo.collection('change_batches').deleteMany({ company_id: admin.scope.companyId });
    const start = { next_batch: 1 };
    await mongo.collection('webhook_outboxes').updateOne({ _id: admin.scope.companyId as never }, { $set: start });
    await mongo.collection<WebhookDocument>(WEBHOOKS).updateOne({ _id: id }, { $set: { from_batch: 1 } });
    const late = await moves.end(await newPlay(flowId));
    const outbox = outboxWith((scope) => sequencer.pass(scope));
    await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, id)).toEqual([late._id]);
  });

  it('goes on with what is in the log while a pass over the plays lasts', async () => {
    const admin = await person('admin');
    const id = await endpoint(admin);
    const { _id } = await moves.end(await storedPlays(mongo, admin)(await storedFlow(mongo, admin)));
    await sequencer.pass(admin.scope);
    const outbox = outboxWith(() => new Promise(() => undefined));
    await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, id)).toEqual([_id]);
  });

  it('reads plays as their deliveries are stored, not the whole batch before', async () => {
    const admin = await person('admin');
    const id = await endpoint(admin);
    const newPlay = storedPlays(mongo, admin);
    const flowId = await storedFlow(mongo, admin);
    const ended: string[] = [];
    for (let i = 0; i < 120; i += 1) ended.push((await moves.end(await newPlay(flowId)))._id);
    const plays = ended.map((playId) => ({ playId, flowId, from: 0, to: 100 }));
    const outbox = outboxWith((scope) => sequencer.pass(scope));
    const batch = { _id: 'spec', company_id: admin.scope.companyId, n: 2_000_000_000, at: new Date(), plays };
    const taken: string[] = [];
    for await (const delivery of outbox.deliveriesOf(admin.scope, batch, await webhooks.all(admin.scope))) {
      taken.push(delivery._id);
      if (taken.length === 1) await mongo.collection<Play>(PLAYS).deleteMany({ flowId });
    }
    expect(taken).toEqual(ended.slice(0, taken.length).map((playId) => `${id}_${playId}_2`));
    expect(taken.length).toBeLessThan(ended.length);
  });
});

describe('an endpoint whose receiver is slower than its events', () => {
  const stored = mongo.collection<DeliveryDocument>(WEBHOOK_DELIVERIES);
  const deliver = (webhookId: string, playIds: readonly string[]) =>
    stored.updateMany(
      { webhook_id: webhookId, playId: { $in: [...playIds] } },
      { $set: { state: 'delivered', next_attempt: null } },
    );

  it('has a bounded number of pending deliveries, gets the others as these are delivered, and holds up no other one', async () => {
    const admin = await person('admin');
    const [newPlay, flowId] = [storedPlays(mongo, admin), await storedFlow(mongo, admin)];
    const [slow, fast] = [await endpoint(admin), await endpoint(admin)];
    let outbox = outboxWith((scope) => sequencer.pass(scope), 4);
    const pass = async () => outbox.pass(admin.scope, await webhooks.all(admin.scope));
    const ended: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      ended.push((await moves.end(await newPlay(flowId)))._id);
      await pass();
      await deliver(fast, ended);
    }
    expect((await foundOf(admin, slow)).sort()).toEqual(ended.slice(0, 4));
    expect((await foundOf(admin, fast)).sort()).toEqual(ended);
    expect(outbox.behindIds).toEqual([slow]);
    // another process goes on
    outbox = outboxWith((scope) => sequencer.pass(scope), 4);
    for (let i = 3; i < 12; i += 1) {
      await deliver(slow, ended.slice(0, i));
      outbox = outboxWith((scope) => sequencer.pass(scope), 4);
      await pass();
      expect(await stored.countDocuments({ webhook_id: slow, state: 'pending' })).toBeLessThanOrEqual(4);
    }
    expect((await foundOf(admin, slow)).sort()).toEqual(ended);
    expect(outbox.behindIds).toEqual([]);
    ended.push((await moves.end(await newPlay(flowId)))._id);
    await pass();
    expect((await foundOf(admin, slow)).sort()).toEqual(ended);
  });

  it('gets new events while others wait for their repeat, up to a bound, from which on repeats come early when it works', async () => {
    const admin = await person('admin');
    const [newPlay, flowId] = [storedPlays(mongo, admin), await storedFlow(mongo, admin)];
    const id = await endpoint(admin);
    const pass = async () =>
      outboxWith((scope) => sequencer.pass(scope), 2).pass(admin.scope, await webhooks.all(admin.scope));
    const endpoints = mongo.collection<WebhookDocument>(WEBHOOKS);
    await endpoints.updateOne({ _id: id }, { $set: { failing_since: new Date() } });
    const later = new Date(Date.now() + 3_600_000);
    for (let i = 0; i < 12; i += 1) {
      await moves.end(await newPlay(flowId));
      await pass();
      await stored.updateMany({ webhook_id: id }, { $set: { next_attempt: later } });
    }
    expect(await foundOf(admin, id)).toHaveLength(10);
    const due = async () => {
      await pass();
      return (await deliveries.due(admin.scope, id, new Date(Date.now() + 1_000), [], 100)).length;
    };
    expect(await due()).toBe(0);
    await endpoints.updateOne({ _id: id }, { $set: { failing_since: null } });
    expect(await due()).toBe(10);
  });
});

describe('an endpoint that had events of flows only', () => {
  it('begins with plays from when it wants them on', async () => {
    const admin = await person('admin');
    const newPlay = storedPlays(mongo, admin);
    const flowId = await storedFlow(mongo, admin);
    const id = await endpoint(admin);
    await admin.send('PATCH', `/api/v1/webhooks/${id}`, { body: { events: ['flow.changed'] } });
    const outbox = outboxWith((scope) => sequencer.pass(scope));
    await moves.end(await newPlay(flowId));
    await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    await admin.send('PATCH', `/api/v1/webhooks/${id}`, { body: { events: ['flow.changed', 'play.done'] } });
    const later = await moves.end(await newPlay(flowId));
    await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, id)).toEqual([later._id]);
  });
});

describe('a deleted endpoint', () => {
  it('leaves no deliveries, also when the process that deletes it dies', async () => {
    const admin = await person('admin');
    const id = await endpoint(admin);
    const outbox = outboxWith((scope) => sequencer.pass(scope));
    await moves.end(await storedPlays(mongo, admin)(await storedFlow(mongo, admin)));
    await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, id)).toHaveLength(1);
    const dying = new Proxy(mongo, {
      get: (target, name) =>
        name === 'collection'
          ? (of: string) => {
              if (of === WEBHOOK_DELIVERIES) throw new Error('killed');
              return target.collection(of);
            }
          : (Reflect.get(target, name, target) as unknown),
    });
    const entry = { action_type: 'webhook_deleted', collection: WEBHOOKS, company_id: admin.scope.companyId } as const;
    await new WebhookRepository(dying).remove(admin.scope, id, entry).catch(() => undefined);
    expect(await webhooks.find(admin.scope, id)).toBeNull();
    await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, id)).toEqual([]);
  });
});

describe('the many deliveries of a deleted endpoint', () => {
  it('are deleted in several passes', async () => {
    const admin = await person('admin');
    const id = await endpoint(admin);
    const many = Array.from({ length: 6_000 }, (_one, n) => ({
      ...{ _id: `${id}_${n}`, company_id: admin.scope.companyId, webhook_id: id, event: 'play.done', body: '{}' },
      ...{ at: new Date(), order: `${n}`, state: 'pending', attempts: [], tries: 0, next_attempt: new Date() },
    }));
    const stored = mongo.collection<{ _id: string }>(WEBHOOK_DELIVERIES);
    await stored.insertMany(many);
    await admin.send('DELETE', `/api/v1/webhooks/${id}`);
    const outbox = outboxWith((scope) => sequencer.pass(scope));
    const left: number[] = [];
    for (let i = 0; i < 2; i += 1) {
      await outbox.pass(admin.scope, []);
      left.push(await stored.countDocuments({ company_id: admin.scope.companyId }));
    }
    expect(left).toEqual([1_000, 0]);
    expect((await outboxes.find(admin.scope))?.removed).toEqual([]);
  });
});
