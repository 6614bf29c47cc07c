import { PLAYS } from '@weft/store';
import {
  TRIGGERS,
  TRIGGER_BODIES,
  TRIGGER_DELIVERIES,
  type TriggerBodyDocument,
  type TriggerDeliveryDocument,
  type TriggerDocument,
} from '@weft/records';
import type { Play } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
const admin = await person('admin');
const triggers = mongo.collection<TriggerDocument>(TRIGGERS);

async function newFlow(by: Person): Promise<string> {
  return textOf((await by.send('POST', '/api/v1/flows', { body: { name: 'orders' } })).body.id);
}
async function newLink(by: Person = admin): Promise<string> {
  const login = { kind: 'basic', username: 'u', password: 'a long password' };
  const body = { type: 'kafka', name: 'Kafka', endpoint: 'kafka://k1.example.com:9092,k2.example.com:9092', ...login };
  const made = await by.send('POST', '/api/v1/integrations', { body });
  expect(made.status).toBe(201);
  return textOf(made.body.id);
}
async function newTrigger(by: Person, fields: object = {}, given?: string) {
  const path = `/api/v1/flows/${given ?? (await newFlow(by))}/triggers`;
  const made = await by.send('POST', path, { body: { name: 'queue', type: 'kafka', ...fields } });
  return { made, path: `${path}/${made.status === 201 ? textOf(made.body.id) : ''}` };
}

describe('a trigger that reads', () => {
  it('is made without an address, and says what holds where it says nothing', async () => {
    const integrationId = await newLink();
    const { made, path } = await newTrigger(admin, { source: { integrationId, topic: 'orders' } });
    expect(made).toMatchObject({ status: 201, body: { type: 'kafka', url: null, reading: null, enabled: true } });
    const read = await admin.send('GET', path);
    expect(read.body.source).toEqual({ integrationId, topic: 'orders', start: 'latest', onPoison: 'skip' });
    const changed = await admin.send('PATCH', path, {
      body: { source: { integrationId, topic: 'others', start: '2026-01-31T12:00:00Z' } },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { source: { topic: 'others', start: '2026-01-31T12:00:00Z' } },
    });
  });

  it('shows how far it is read', async () => {
    const { made, path } = await newTrigger(admin, { source: { integrationId: await newLink(), topic: 'orders' } });
    const error = { code: 'connect_failed', message: 'k1.example.com:9092 is away' };
    const last_message_at = new Date('2026-01-31T12:00:00Z');
    const reading = { holder: 'h', state: 'failing', error, lag: 12, last_message_at } as const;
    await triggers.updateOne({ _id: textOf(made.body.id) }, { $set: { reading } });
    expect((await admin.send('GET', path)).body.reading).toEqual({
      ...{ state: 'failing', error, lag: 12, lastMessageAt: '2026-01-31T12:00:00.000Z' },
    });
  });

  it('has no address: none can be made, nothing can be heard, and nobody knows its token', async () => {
    const { made, path } = await newTrigger(admin, { source: { integrationId: await newLink(), topic: 'orders' } });
    for (const what of ['rotate', 'listen'])
      expect(await admin.send('POST', `${path}/${what}`)).toMatchObject({
        status: 409,
        body: { code: 'trigger_has_no_address' },
      });
    const { token_hash } = (await triggers.findOne({ _id: textOf(made.body.id) })) as TriggerDocument;
    expect((await send('POST', `/hooks/${token_hash}`, { body: {} })).status).toBe(404);
  });

  it.each([
    ['source.topic', {}],
    ['source.integrationId', { source: { topic: 'orders' } }],
    ['source.topic', { source: { integrationId: 'LINK', topic: 'a/b' } }],
    ['source.start', { source: { integrationId: 'LINK', topic: 't', start: 'soon' } }],
    ['source.start', { source: { integrationId: 'LINK', topic: 't', start: '2026-13-01T00:00:00Z' } }],
    ['verifier', { source: { integrationId: 'LINK', topic: 't' }, verifier: { type: 'none' } }],
    ['wait', { source: { integrationId: 'LINK', topic: 't' }, wait: 5 }],
    ['source', { type: 'hook', verifier: { type: 'none' }, source: { topic: 't' } }],
    ['verifier', { type: 'hook' }],
    ['type', { type: 'pigeon' }],
  ])('is refused, naming %s', async (path, fields) => {
    const integrationId = await newLink();
    const body = JSON.parse(JSON.stringify(fields).replace('LINK', integrationId)) as object;
    const { made } = await newTrigger(admin, body);
    expect(made).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect((made.body.errors as unknown as { path: string }[]).map((each) => each.path)).toContain(path);
  });

  it('never becomes one of another type', async () => {
    const { path } = await newTrigger(admin, { source: { integrationId: await newLink(), topic: 'orders' } });
    const changed = await admin.send('PATCH', path, { body: { type: 'hook', verifier: { type: 'none' } } });
    expect(changed).toMatchObject({ status: 400, body: { code: 'invalid_body', errors: [{ path: 'type' }] } });
  });

  it('reads $message alone', async () => {
    const source = { integrationId: await newLink(), topic: 'orders' };
    const { made } = await newTrigger(admin, { source, when: '{{ $hook.body }}' });
    expect(made).toMatchObject({ status: 422, body: { code: 'invalid_expression' } });
    expect(JSON.stringify(made.body)).toContain('$message');
  });

  it('is made, and pointed elsewhere, by those alone who may use the link', async () => {
    const editor = await person('flow_editor', admin.scope.companyId);
    const source = { integrationId: await newLink(), topic: 'orders' };
    const { made } = await newTrigger(editor, { source });
    expect([made.status, made.body.code]).toEqual([422, 'unknown_id']);
    const stranger = await person('admin');
    expect((await newTrigger(stranger, { source })).made.body.code).toBe('unknown_id');
  });

  it('makes a play of a message from its log, with the caller’s rights, once it can be read', async () => {
    const source = { integrationId: await newLink(), topic: 'orders' };
    const { made, path } = await newTrigger(admin, {
      source,
      args: { n: '{{ $message.value.n }}', at: '{{ $message.offset }}' },
    });
    const {
      company_id,
      flow_id,
      _id: trigger_id,
    } = (await triggers.findOne({ _id: textOf(made.body.id) })) as TriggerDocument;
    const body = Buffer.from('{"n":7}');
    const of = {
      _id: '0123456789abcdefghjk',
      company_id,
      flow_id,
      trigger_id,
      bytes: body.length,
      expires_at: new Date(Date.now() + 60_000),
    };
    await mongo.collection<TriggerDeliveryDocument>(TRIGGER_DELIVERIES).insertOne({
      ...{
        ...of,
        dedupe_id: 'p0:x:3',
        received_at: new Date(),
        outcome: 'refused',
        error: { code: 'invalid_args', message: 'no' },
      },
      ...{ play_id: null, method: 'READ', content_type: null, headers: {}, replay_of: null },
      query: { topic: 'orders', partition: '0', offset: '3', key: 'k' },
    });
    await mongo.collection<TriggerBodyDocument>(TRIGGER_BODIES).insertOne({ ...of, body });
    const replayed = await admin.send('POST', `${path}/deliveries/${of._id}/replay`);
    expect(replayed.status).toBe(202);
    const play = await mongo.collection<Play>(PLAYS).findOne({ _id: textOf(replayed.body.playId) });
    expect(play?.args).toEqual({ n: 7, at: 3 });
  });
});
