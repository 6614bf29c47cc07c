import { EventDelivery } from '@weft/runs';
import { AUDIT_LOGS, playKeyOf, PLAYS, type AuditDocument } from '@weft/store';
import { TRIGGERS, USERS, type TriggerDocument, type UserDocument } from '@weft/records';
import type { Play } from '@weft/engine';
import { waitFor } from '@weft/testing';
import { newSecret, Signer } from '@weft/webhooks';
import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json, type Person, type Send } from '../../../../test/api/live-api.js';
import { parkedAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { app, mongo, send, person } = await liveApi();
const editor = await person('flow_editor');

async function newFlow(by: Person, fields: object = {}): Promise<string> {
  return textOf((await by.send('POST', '/api/v1/flows', { body: { name: 'orders', ...fields } })).body.id);
}

interface Made {
  readonly id: string;
  readonly path: string;
  /** Where deliveries go. */
  readonly hook: string;
  readonly body: Json;
}

async function newTrigger(by: Person, flowId: string, fields: object = {}): Promise<Made> {
  const path = `/api/v1/flows/${flowId}/triggers`;
  const made = await by.send('POST', path, { body: { name: 'shop', verifier: { type: 'none' }, ...fields } });
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  const id = textOf(made.body.id);
  return { id, path: `${path}/${id}`, hook: new URL(textOf(made.body.url)).pathname, body: made.body };
}

const deliver = (hook: string, options: Send = {}): Promise<Answer> => send('POST', hook, options);
const playOf = async ({ body }: Answer): Promise<Play | null> =>
  mongo.collection<Play>(PLAYS).findOne({ _id: textOf(body.playId) });
const logOf = async ({ path }: Made): Promise<Json[]> =>
  (await editor.send('GET', `${path}/deliveries`)).body.items as unknown as Json[];

describe('a trigger', () => {
  it('shows its address once, and keeps neither it nor its secrets readable', async () => {
    const flowId = await newFlow(editor);
    const verifier = { type: 'github', secrets: ['canary-secret-of-github'] };
    const { id, path, hook, body } = await newTrigger(editor, flowId, { verifier });
    expect(body).toMatchObject({ flowId, enabled: true, createdBy: editor.userId, resting: null, wait: 0 });
    expect(body.verifier).toMatchObject({ type: 'github', secret_count: 1 });
    const token = hook.slice('/hooks/'.length);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const read = await editor.send('GET', path);
    const stored = await mongo.collection<TriggerDocument>(TRIGGERS).findOne({ _id: id });
    const audit = (await (await person('admin', editor.scope.companyId)).send('GET', '/api/v1/audit')).body;
    expect(JSON.stringify(audit)).toContain('trigger_created');
    for (const text of [JSON.stringify(read.body), JSON.stringify(stored), JSON.stringify(audit)]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain('canary');
    }
  });

  it('runs its flow as who made it, with what arrived as args', async () => {
    const { hook, id } = await newTrigger(editor, await newFlow(editor));
    const answer = await deliver(`${hook}?shop=3`, { body: { order: 1 }, headers: { authorization: 'Bearer canary' } });
    expect(answer).toMatchObject({ status: 202, body: { state: 'RUN' } });
    const play = await playOf(answer);
    expect(play).toMatchObject({ trigger: 'hook', triggeredBy: editor.userId });
    expect(play?.idempotencyKey).toMatch(new RegExp(`^hook:${id}:`));
    expect(play?.args).toMatchObject({ body: { order: 1 }, query: { shop: '3' } });
    expect(JSON.stringify(play)).not.toContain('canary');
  });

  it('takes any type of body, and none', async () => {
    const { hook } = await newTrigger(editor, await newFlow(editor));
    const bodyOf = async (body: string | undefined, type?: string): Promise<unknown> => {
      const answer = await deliver(hook, { body, headers: type === undefined ? {} : { 'content-type': type } });
      expect(answer.status).toBe(202);
      return (await playOf(answer))?.args.body;
    };
    expect(await bodyOf('a=1&b=2&a=3', 'application/x-www-form-urlencoded')).toEqual({ a: ['1', '3'], b: '2' });
    expect(await bodyOf('<order/>', 'application/xml')).toBe('<order/>');
    expect(await bodyOf('[1]', 'application/vnd.shop+json; charset=utf-8')).toEqual([1]);
    expect(await bodyOf('what is this', 'no type at all')).toBe('what is this');
    expect(await bodyOf(undefined)).toBeNull();
  });

  it('makes one play of a delivery, however often it comes', async () => {
    const { hook, ...trigger } = await newTrigger(editor, await newFlow(editor), { dedupe: { header: 'X-Delivery' } });
    const sent = { body: { order: 1 }, headers: { 'x-delivery': 'd1' } };
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => deliver(hook, sent)));
    const again = await deliver(hook, sent);
    expect(new Set([first, ...others, again].map((each) => each?.body.playId)).size).toBe(1);
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    expect((await deliver(hook, { ...sent, headers: { 'x-delivery': 'd2' } })).body.playId).not.toBe(again.body.playId);
    const log = await logOf({ hook, ...trigger });
    expect(log.map(({ outcome, dedupeId }) => [outcome, dedupeId])).toEqual([
      ['accepted', 'd2'],
      ['duplicate', 'd1'],
      ...Array.from({ length: 3 }, () => [expect.stringMatching(/accepted|duplicate/) as string, 'd1']),
    ]);
    expect(log.filter(({ outcome }) => textOf(outcome) === 'accepted')).toHaveLength(2);
  });

  it('continues the play of a delivery that has failed when the delivery comes again, with other headers', async () => {
    const { hook, ...trigger } = await newTrigger(editor, await newFlow(editor), { dedupe: { header: 'X-Delivery' } });
    const sent = (attempt: string, order = 1) => ({
      body: { order },
      headers: { 'x-delivery': 'd1', 'x-attempt': attempt },
    });
    const first = textOf((await deliver(hook, sent('1'))).body.playId);
    await mongo
      .collection<Play>(PLAYS)
      .updateOne({ _id: first }, { $set: { state: 'FAIL', completedAt: new Date(0) }, $unset: { heartbeatAt: 1 } });
    const again = await deliver(hook, sent('2'));
    expect(again).toMatchObject({ status: 202, headers: { 'idempotency-retried': first } });
    expect(await playOf(again)).toMatchObject({ retryOf: first, args: { headers: { 'x-attempt': '1' } } });
    expect((await deliver(hook, sent('3'))).status).toBe(200);
    const outcomes = (await logOf({ hook, ...trigger })).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['duplicate', 'accepted', 'accepted']);
    const _id = textOf(again.body.playId);
    await mongo.collection<Play>(PLAYS).updateOne({ _id }, { $set: { state: 'FAIL', completedAt: new Date(0) } });
    const other = await deliver(hook, sent('4', 2));
    expect([other.status, other.headers['idempotency-retried']]).toEqual([202, undefined]);
  });

  it('keeps every digit of an id: two deliveries with neighbouring ids are two plays', async () => {
    const flowId = await newFlow(editor, { settings: { lane: 'customer-{{ $prev.args.body.id }}' } });
    const trigger = await newTrigger(editor, flowId, { dedupe: { expression: '{{ $hook.body.id }}' } });
    const ids = ['7615917337495251231', '7615917337495251232'];
    const headers = { 'content-type': 'application/json' };
    const answers = await Promise.all(ids.map((id) => deliver(trigger.hook, { body: `{"id":${id}}`, headers })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const plays = await Promise.all(answers.map(playOf));
    expect(plays.map((play) => [play?.lane, play?.args])).toEqual(ids.map((id) => [`customer-${id}`, {}]));
    expect((await logOf(trigger)).map(({ dedupeId }) => dedupeId).sort()).toEqual(ids);
    const shown = await editor.send('GET', `/api/v1/plays/${textOf(answers[0]?.body.playId)}`);
    expect(shown.body.args).toMatchObject({ body: { id: 7615917337495251231n } });
  });

  it('judges and shapes deliveries by expressions over $hook', async () => {
    const { hook } = await newTrigger(editor, await newFlow(editor), {
      when: '{{ $hook.body.total > 10 }}',
      args: {
        total: '{{ $hook.body.total }}',
        who: 'for {{ $hook.body.name }} by {{ $hook.headers.x-shop }}',
        sum: '{{ $sum($hook.body.lines.price) }}',
        none: '{{ $hook.query.nothing }}',
      },
      dedupe: { expression: '{{ $hook.body.id }}' },
    });
    expect(await deliver(hook, { body: { total: 1 } })).toMatchObject({ status: 200, body: { skipped: true } });
    const body = { id: 7, total: 12, name: 'Ada', lines: [{ price: 2 }, { price: 3 }] };
    const answer = await deliver(hook, { body, headers: { 'x-shop': 's1' } });
    const play = await playOf(answer);
    expect(play?.args).toEqual({ total: 12, who: 'for Ada by s1', sum: 5, none: null });
    expect(play?.idempotencyKey).toMatch(/:7$/);
  });

  it.each([
    [{ when: '{{ $prev.args.x }}' }, 422, /when.*there are \$hook, \$flow/],
    [{ args: { x: '{{ .fetch.x }}' } }, 422, /args\.x/],
    [{ dedupe: { expression: 'id' } }, 422, /dedupe\.expression/],
    [{ dedupe: {} }, 400, /one of the two/],
    [{ dedupe: { header: 'Authorization' } }, 400, /credential/],
    [{ verifier: { type: 'github' } }, 400, /needs secrets/],
    [{ verifier: { type: 'slack', secrets: ['abc'] } }, 400, /secrets must have 4 to 500 characters of ASCII/],
    [{ verifier: { type: 'bearer', token: 'of the shop' } }, 400, /token must have .* and no blanks/],
    [{ verifier: { type: 'none', token: 'canary-token' } }, 400, /not a field of a verifier of type none/],
    [{ verifier: { type: 'standard', secrets: ['whsec_not base64!'] } }, 400, /./],
    [{ verifier: { type: 'hmac', header: 'x-s', secrets: ['12345678'], template: 'x' } }, 400, /\{body\} once/],
    [{ verifier: { type: 'hmac', header: 'x-s', secrets: ['12345678'], timestamp_header: 'x-t' } }, 400, /not signed/],
    [{ args: { x: 'y'.repeat(20_000) } }, 400, /16384 bytes/],
  ])('is refused where it cannot work: %#', async (fields, status, says) => {
    const flowId = await newFlow(editor);
    const body = { name: 'shop', verifier: { type: 'none' }, ...fields };
    const answer = await editor.send('POST', `/api/v1/flows/${flowId}/triggers`, { body });
    expect(answer.status).toBe(status);
    expect(textOf(answer.body.detail)).toMatch(says);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  it('ends its old address when it is rotated, rests while it is disabled, and is gone when it is deleted', async () => {
    const { hook, path } = await newTrigger(editor, await newFlow(editor));
    const rotated = await editor.send('POST', `${path}/rotate`);
    const next = new URL(textOf(rotated.body.url)).pathname;
    expect([(await deliver(hook)).status, (await deliver(next)).status]).toEqual([404, 202]);
    const unknown = await deliver('/hooks/nobody');
    await editor.send('PATCH', path, { body: { enabled: false } });
    const disabled = await deliver(next);
    expect([disabled.status, disabled.body.detail, disabled.body.instance]).toEqual([
      ...[404, unknown.body.detail, '/hooks/[token]'],
    ]);
    await editor.send('PATCH', path, { body: { enabled: true } });
    expect((await deliver(next)).status).toBe(202);
    expect((await editor.send('DELETE', path)).status).toBe(204);
    expect((await editor.send('DELETE', path)).status).toBe(404);
    expect((await deliver(next)).status).toBe(404);
  });

  it('runs for the user who rotated it and has its address, not with the rights of the user who made it', async () => {
    const [creator, other] = await Promise.all([0, 1].map(() => person('flow_editor', editor.scope.companyId)));
    if (!creator || !other) throw new Error('there are two');
    const { id, hook, path } = await newTrigger(creator, await newFlow(editor));
    expect(await playOf(await deliver(hook))).toMatchObject({ triggeredBy: creator.userId });
    const rotated = await other.send('POST', `${path}/rotate`);
    const next = new URL(textOf(rotated.body.url)).pathname;
    expect(await playOf(await deliver(next))).toMatchObject({ triggeredBy: other.userId });
    expect((await creator.send('GET', path)).body.createdBy).toBe(other.userId);
    const entry = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .findOne({ resource_id: id, action_type: 'trigger_rotated' });
    expect(entry?.changes).toEqual({ created_by: { before: creator.userId, after: other.userId } });
    const place = { 'company_roles.0.role': 'viewer' } as const;
    await mongo.collection<UserDocument>(USERS).updateOne({ _id: other.userId }, { $set: place });
    await waitFor(async () => (await deliver(next)).status === 404, { what: 'the right to be gone' });
  });

  it('gives its plays its labels, which take precedence over those of the flow', async () => {
    const settings = { labels: { env: 'prod', team: 'shop' } };
    const made = await newTrigger(editor, await newFlow(editor, { settings }), {
      labels: { env: 'test', from: 'hook' },
    });
    expect(made.body.labels).toEqual({ env: 'test', from: 'hook' });
    expect((await playOf(await deliver(made.hook)))?.labels).toEqual(['env:test', 'from:hook', 'team:shop']);
    const changed = await editor.send('PATCH', made.path, { body: { labels: {} } });
    expect(changed.body.labels).toEqual({});
    expect((await playOf(await deliver(made.hook)))?.labels).toEqual(['env:prod', 'team:shop']);
    const wrong = await editor.send('PATCH', made.path, { body: { labels: { 'a b': 'x' } } });
    expect([wrong.status, textOf(wrong.body.code)]).toEqual([422, 'invalid_labels']);
    expect((await editor.send('PATCH', made.path, { body: { name: 'other' } })).body.labels).toEqual({});
  });

  it('rests while who made it may not run the flow, which its log and its view say and its senders do not learn', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const creator = await person('flow_editor', editor.scope.companyId);
    const flowId = await newFlow(editor);
    const made = await newTrigger(creator, flowId);
    const resting = async (): Promise<string | null> =>
      (await admin.send('GET', made.path)).body.resting as unknown as string | null;
    const place = (set: object) =>
      mongo.collection<UserDocument>(USERS).updateOne({ _id: creator.userId }, { $set: set });
    expect((await deliver(made.hook)).status).toBe(202);
    const unknown = await deliver('/hooks/nobody');

    await place({ 'company_roles.0.role': 'viewer' });
    await waitFor(async () => (await resting())?.includes('may not execute'), { what: 'the right to be gone' });
    const refused = await deliver(made.hook, { body: { order: 1 } });
    expect([refused.status, refused.body.detail]).toEqual([404, unknown.body.detail]);
    const [logged] = await logOf(made);
    expect(logged).toMatchObject({ outcome: 'refused', playId: null, error: { code: 'denied' }, replayable: true });

    await place({ 'company_roles.0.role': 'flow_editor', 'company_roles.0.deactivated': true });
    await waitFor(async () => (await resting())?.includes('not active'), { what: 'the creator to be gone' });
    expect((await deliver(made.hook)).status).toBe(404);
    // whoever may run the flow sends again what was refused, as themselves
    const again = await admin.send('POST', `${made.path}/deliveries/${textOf(logged?.id)}/replay`);
    expect(again.status).toBe(202);
    expect(await playOf(again)).toMatchObject({ triggeredBy: admin.userId, args: { body: { order: 1 } } });
    await place({ 'company_roles.0.deactivated': false });
    await waitFor(async () => (await resting()) === null, { what: 'the trigger to wake' });
    expect((await deliver(made.hook)).status).toBe(202);
  });

  it('takes deliveries that are signed with the private key of their sender', async () => {
    const key = newSecret('v1a');
    const made = await newTrigger(editor, await newFlow(editor), {
      verifier: { type: 'standard', secrets: [key.shown] },
    });
    const sent = (secret: string): Promise<Answer> => {
      const [id, timestamp, body] = ['msg_1', Math.floor(Date.now() / 1_000), '{"order":1}'];
      const signature = new Signer([secret]).sign({ id, timestamp, body: Buffer.from(body) });
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
      return deliver(made.hook, { body, headers });
    };
    expect((await sent(newSecret('v1a').secret)).status).toBe(401);
    const first = await sent(key.secret);
    expect(first.status).toBe(202);
    expect((await sent(key.secret)).body.playId).toBe(first.body.playId);
  });

  it('waits for the outcome as long as it says', async () => {
    const { hook } = await newTrigger(editor, await newFlow(editor, { when: 'false' }), { wait: 5_000 });
    expect(await deliver(hook)).toMatchObject({ status: 200, body: { state: 'SKIP', out: null, error: null } });
    const short = await newTrigger(editor, await newFlow(editor), { wait: 1 });
    expect(await deliver(short.hook)).toMatchObject({ status: 202, body: { state: 'RUN' } });
  });
});

describe('a delivery that cannot be verified', () => {
  const sign = (body: string): string =>
    `sha256=${createHmac('sha256', 'a secret of ours').update(body).digest('hex')}`;

  it('is refused without a word about why, runs nothing, and is in no log', async () => {
    const verifier = { type: 'github', secrets: ['a secret of ours'] };
    const made = await newTrigger(editor, await newFlow(editor), { verifier });
    const body = '{ "order":  1 }';
    const headersOf = (signature: string) => ({ 'x-hub-signature-256': signature, 'content-type': 'application/json' });
    const refused = [
      await deliver(made.hook, { body }),
      await deliver(made.hook, { body, headers: headersOf(sign('{"order":1}')) }),
      await deliver(made.hook, { body, headers: headersOf(sign(body).slice(0, -2)) }),
      await deliver(made.hook, { body: '{ broken', headers: headersOf(sign(body)) }),
    ];
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(refused.map((each) => each.body.detail))).toEqual(new Set(['The delivery cannot be verified.']));
    expect(await logOf(made)).toEqual([]);
    expect((await deliver(made.hook, { body, headers: headersOf(sign(body)) })).status).toBe(202);
    const ping = { ...headersOf(sign(body)), 'x-github-event': 'ping' };
    expect(await deliver(made.hook, { body, headers: ping })).toMatchObject({ status: 200, body: { skipped: true } });
  });

  it('closes the trigger to its sender when there are many, and to nobody else', async () => {
    const verifier = { type: 'bearer', token: 'a token of ours' };
    const verified = { headers: { authorization: 'Bearer a-token-of-ours' } };
    const flowId = await newFlow(editor);
    const made = await newTrigger(editor, flowId, { verifier: { ...verifier, token: 'a-token-of-ours' } });
    const other = await newTrigger(editor, flowId, { verifier: { ...verifier, token: 'a-token-of-ours' } });
    for (let i = 0; i < 60; i += 1) expect((await deliver(made.hook)).status).toBe(401);
    expect(await deliver(made.hook, verified)).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect((await deliver(other.hook, verified)).status).toBe(202);
  });
});

describe('the presets', () => {
  it('slack: answers the check of the address, and takes commands', async () => {
    const secret = '8f742231b10e8888abcd99yyyzzz85a5';
    const made = await newTrigger(editor, await newFlow(editor), { verifier: { type: 'slack', secrets: [secret] } });
    const slack = (body: string, type: string): Promise<Answer> => {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
      const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature, 'content-type': type };
      return deliver(made.hook, { body, headers });
    };
    const check = await slack('{"type":"url_verification","challenge":"abc","token":"x"}', 'application/json');
    expect(check).toMatchObject({ status: 200, body: { challenge: 'abc' } });
    expect(await logOf(made)).toEqual([]);
    const form = 'command=%2Fweather&text=94070&trigger_id=13345224609.738474920';
    const command = await slack(form, 'application/x-www-form-urlencoded');
    expect(command.status).toBe(202);
    expect((await playOf(command))?.args).toMatchObject({ body: { command: '/weather', text: '94070' } });
    const event = '{"type":"event_callback","event_id":"Ev1"}';
    const first = await slack(event, 'application/json');
    expect((await slack(event, 'application/json')).body.playId).toEqual(first.body.playId);
  });
});

/** As any sender sends: bytes, and an answer of any kind, which no document describes. */
interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}
async function raw(
  method: 'GET' | 'HEAD' | 'POST' | 'PUT',
  url: string,
  payload?: string | Buffer,
  headers: object = {},
): Promise<Raw> {
  const answer = await app.inject({ method, url, headers: { ...headers }, ...(payload !== undefined && { payload }) });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
}
const argsOf = async (answer: Raw): Promise<Readonly<Record<string, unknown>> | undefined> => {
  const { playId } = JSON.parse(answer.text) as { playId: string };
  return (await mongo.collection<Play>(PLAYS).findOne({ _id: playId }))?.args;
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

describe('a sender that checks the address', () => {
  const made = async (fields: object) => newTrigger(editor, await newFlow(editor), fields);

  it('meta: is given the challenge back as text when it knows the verify token', async () => {
    const verifier = { type: 'meta', secrets: ['secret of the app'], token: 'verify-token' };
    const { hook, ...trigger } = await made({ verifier });
    const check = (token: string, mode = 'subscribe') =>
      raw('GET', `${hook}?hub.mode=${mode}&hub.verify_token=${token}&hub.challenge=1158201444`);
    expect(await check('verify-token')).toMatchObject({
      ...{ status: 200, text: '1158201444' },
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
    expect([(await check('wrong-token')).status, (await check('verify-token', 'x')).status]).toEqual([405, 405]);
    expect((await raw('GET', hook)).headers.allow).toBe('POST');
    const body = '{"object":"page"}';
    const sent = await raw('POST', hook, body, {
      ...{ ...JSON_TYPE, 'x-hub-signature-256': `sha256=${hex('secret of the app', body)}` },
    });
    expect(sent.status).toBe(202);
    expect(await logOf({ hook, ...trigger })).toHaveLength(1);
  });

  it('dropbox, Microsoft Graph and monday.com: are given theirs back, and nothing is run', async () => {
    const dropbox = await made({ verifier: { type: 'dropbox', secrets: ['secret of the app'] } });
    expect(await raw('GET', `${dropbox.hook}?challenge=abc%3Cb%3E`)).toMatchObject({ status: 200, text: 'abc<b>' });
    const graph = await made({ verifier: { type: 'msgraph', token: 'state-of-ours' } });
    const validated = await raw('POST', `${graph.hook}?validationToken=Validation%3A+Testing`, '');
    expect(validated).toMatchObject({ status: 200, text: 'Validation: Testing' });
    expect(validated.headers['content-type']).toBe('text/plain; charset=utf-8');
    const notice = JSON.stringify({ value: [{ clientState: 'state-of-ours', changeType: 'created' }] });
    expect((await raw('POST', graph.hook, notice, JSON_TYPE)).status).toBe(202);
    const forged = notice.replace('state-of-ours', 'state-of-others');
    expect((await raw('POST', graph.hook, forged, JSON_TYPE)).status).toBe(401);
    const monday = await made({ verifier: { type: 'monday' } });
    const checked = await raw('POST', monday.hook, '{"challenge":"3eZbrw1aB2rT"}', JSON_TYPE);
    expect([checked.status, checked.text]).toEqual([200, '{"challenge":"3eZbrw1aB2rT"}']);
    expect((await raw('POST', monday.hook, '{"event":{"triggerUuid":"t1"}}', JSON_TYPE)).status).toBe(202);
    expect(await logOf(dropbox)).toEqual([]);
  });

  it('monday.com: one with a secret takes only what is signed, but answers the check', async () => {
    const { hook } = await made({ verifier: { type: 'monday', secrets: ['signing-secret'] } });
    expect((await raw('POST', hook, '{"challenge":"c"}', JSON_TYPE)).text).toBe('{"challenge":"c"}');
    expect((await raw('POST', hook, '{"event":{}}', JSON_TYPE)).status).toBe(401);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'HS256' })}.${part({ exp: 9_999_999_999 })}`;
    const mac = createHmac('sha256', 'signing-secret').update(signed).digest('base64url');
    const headers = { ...JSON_TYPE, authorization: `${signed}.${mac}` };
    expect((await raw('POST', hook, '{"event":{}}', headers)).status).toBe(202);
  });

  it('checks as the trigger says: where the value is, how it is given back, and when', async () => {
    const when = "{{ $hook.query.`hub.verify_token` = 'right' }}";
    const query = await made({ challenge: { in: 'query', field: 'echo', as: 'json', when } });
    expect((await raw('GET', `${query.hook}?echo=e1&hub.verify_token=right`)).text).toBe('{"echo":"e1"}');
    expect((await raw('GET', `${query.hook}?echo=e1&hub.verify_token=wrong`)).status).toBe(405);
    expect(query.body.challenge).toMatchObject({ in: 'query', field: 'echo', as: 'json', when });
    const body = await made({ challenge: { in: 'body', field: 'code' } });
    expect((await raw('POST', body.hook, '{"code":"b1"}', JSON_TYPE)).text).toBe('b1');
    expect((await raw('POST', body.hook, '{"other":1}', JSON_TYPE)).status).toBe(202);
    const tooMany = await Promise.all(
      Array.from({ length: 60 }, () => raw('GET', `${query.hook}?echo=e&hub.verify_token=x`)),
    );
    expect(tooMany.some(({ status }) => status === 429)).toBe(true);
  });

  it('with HEAD, and delivers with other methods, as far as the trigger takes them', async () => {
    const { hook, body } = await made({ methods: ['GET', 'HEAD', 'PUT'], args: { by: '{{ $hook.method }}' } });
    expect(body.methods).toEqual(['GET', 'HEAD', 'PUT']);
    expect(await raw('HEAD', hook)).toMatchObject({ status: 200, text: '' });
    expect(await argsOf(await raw('GET', `${hook}?a=1`))).toEqual({ by: 'GET' });
    expect(await argsOf(await raw('PUT', hook, '{}', JSON_TYPE))).toEqual({ by: 'PUT' });
    expect(await raw('POST', hook, '{}', JSON_TYPE)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, PUT' },
    });
    expect((await raw('GET', '/hooks/nobody')).status).toBe(404);
  });
});

describe('senders that prove themselves otherwise', () => {
  it('gitlab has a token in its header, and its key for repeated deliveries', async () => {
    const made = await newTrigger(editor, await newFlow(editor), {
      verifier: { type: 'gitlab', token: 'canary-gitlab-token' },
    });
    const sent = (token: string) =>
      raw('POST', made.hook, '{"object_kind":"push"}', {
        ...{ ...JSON_TYPE, 'x-gitlab-token': token, 'idempotency-key': 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' },
      });
    const first = await sent('canary-gitlab-token');
    expect([first.status, (await sent('canary-gitlab-toke')).status]).toEqual([202, 401]);
    expect((await sent('canary-gitlab-token')).text).toBe(first.text);
    expect(JSON.stringify(await argsOf(first))).not.toContain('canary');
  });

  it('svix signs under its own names, and twilio its whole address', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const svix = await newTrigger(editor, await newFlow(editor), { verifier: { type: 'svix', secrets: [secret] } });
    const at = String(Math.floor(Date.now() / 1_000));
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`msg_1.${at}.{}`).digest('base64');
    const headers = { ...JSON_TYPE, 'svix-id': 'msg_1', 'svix-timestamp': at, 'svix-signature': `v1,${signature}` };
    const first = await raw('POST', svix.hook, '{}', headers);
    expect([first.status, (await raw('POST', svix.hook, '{}', headers)).text]).toEqual([202, first.text]);

    const twilio = await newTrigger(editor, await newFlow(editor), {
      verifier: { type: 'twilio', secrets: ['12345'] },
      respond: { content_type: 'text/xml', body: '<Response><Message>{{ $hook.body.Body }}</Message></Response>' },
    });
    const body = 'Body=hello&From=%2B15558675309';
    const url = `${textOf(twilio.body.url)}?store=1`;
    const mac = createHmac('sha1', '12345').update(`${url}BodyhelloFrom+15558675309`).digest('base64');
    const sent = (signed: string) =>
      raw('POST', `${twilio.hook}?store=1`, body, { ...FORM, 'x-twilio-signature': signed });
    expect(await sent(mac)).toMatchObject({
      ...{ status: 200, text: '<Response><Message>hello</Message></Response>' },
      headers: { 'content-type': 'text/xml' },
    });
    // not one character for another of the same value: in Base64 "/" is read as "_" is
    const other = mac.startsWith('A') ? 'B' : 'A';
    expect((await sent(`${other}${mac.slice(1)}`)).status).toBe(401);
  });
});

describe('what a body may be', () => {
  const bodyOf = async (fields: object, payload: string | Buffer, headers: object): Promise<unknown> => {
    const { hook } = await newTrigger(editor, await newFlow(editor), fields);
    const answer = await raw('POST', hook, payload, headers);
    expect([answer.status, answer.text]).toEqual([202, expect.anything()]);
    return (await argsOf(answer))?.body;
  };

  it('of github and slack: a form whose payload is JSON', async () => {
    const payload = `payload=${encodeURIComponent('{"action":"opened","id":7615917337495251231}')}`;
    const verifier = { type: 'github', secrets: ['secret of ours'] };
    const signed = { ...FORM, 'x-hub-signature-256': `sha256=${hex('secret of ours', payload)}` };
    const when = "{{ $hook.body.action = 'opened' }}";
    expect(await bodyOf({ verifier, when, args: { body: '{{ $hook.body.action }}' } }, payload, signed)).toBe('opened');
    expect(await bodyOf({}, payload, FORM)).toMatchObject({ payload: expect.stringContaining('opened') as string });
  });

  it('of any charset and coding, with a mark at its beginning', async () => {
    const latin = (text: string) => Buffer.from(text, 'latin1');
    const type = (value: string) => ({ 'content-type': value });
    expect(await bodyOf({}, latin('caf\xe9'), type('text/plain; charset=iso-8859-1'))).toBe('café');
    expect(await bodyOf({}, latin('{"a":"caf\xe9"}'), type('application/json; charset=iso-8859-1'))).toEqual({
      a: 'café',
    });
    expect(await bodyOf({}, 'a=caf%E9', type('application/x-www-form-urlencoded; charset=iso-8859-1'))).toEqual({
      a: 'café',
    });
    expect(await bodyOf({}, '\ufeff{"a":1}', type('text/json'))).toEqual({ a: 1 });
    expect(await bodyOf({}, '\ufeffa=1', FORM)).toEqual({ a: '1' });
    const coded = async (body: Buffer, coding: string) =>
      bodyOf({}, body, { ...JSON_TYPE, 'content-encoding': coding });
    expect(await coded(gzipSync('{"a":1}'), 'gzip')).toEqual({ a: 1 });
    expect(await coded(brotliCompressSync('{"a":2}'), 'br')).toEqual({ a: 2 });
    expect(await coded(deflateSync('{"a":3}'), 'deflate')).toEqual({ a: 3 });
    const { hook } = await newTrigger(editor, await newFlow(editor));
    const refused = async (body: Buffer, coding: string) => {
      const answer = await raw('POST', hook, body, { ...JSON_TYPE, 'content-encoding': coding });
      return [answer.status, answer.headers['accept-encoding']];
    };
    expect(await refused(Buffer.from('x'), 'zstd')).toEqual([415, 'gzip, deflate, br']);
    expect((await refused(Buffer.from('x'), 'gzip'))[0]).toBe(400);
    expect((await refused(gzipSync(Buffer.alloc(2_000_000)), 'gzip'))[0]).toBe(413);
  });

  it('a form with files, which are kept as files of the play', async () => {
    const part = (head: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    const form =
      part('name="subject"', 'grüße') +
      part('name="to"', 'a') +
      part('name="to"', 'b') +
      part('name="file"; filename="a.csv"\r\nContent-Type: text/csv', 'x,y\n1,2') +
      part('name="none"; filename=""', '') +
      '--b--\r\n';
    const body = (await bodyOf({}, form, { 'content-type': 'multipart/form-data; boundary=b' })) as Record<
      string,
      Json
    >;
    expect(body).toMatchObject({ subject: 'grüße', to: ['a', 'b'] });
    expect(body.file).toMatchObject({ bytes: 7, contentType: 'text/csv', filename: 'a.csv' });
    expect(body).not.toHaveProperty('none');
    const file = await editor.send('GET', textOf(body.file?.$ref));
    expect([file.status, file.body]).toEqual([200, 'x,y\n1,2']);
    const { hook } = await newTrigger(editor, await newFlow(editor));
    for (const broken of [
      '--b\r\n',
      'x',
      '--b\r\nA: b\r\n\r\nx\r\n--b--',
      `${part('name="a"', 'x').repeat(1_001)}--b--`,
    ]) {
      const answer = await raw('POST', hook, broken, { 'content-type': 'multipart/form-data; boundary=b' });
      expect([broken.slice(0, 20), answer.status]).toEqual([broken.slice(0, 20), 400]);
    }
  });

  it('up to 25 MB, of which more than one is a file', async () => {
    const large = `{"rows":"${'x'.repeat(3 * 1024 * 1024)}"}`;
    const body = (await bodyOf({ max_bytes: 4 * 1024 * 1024 }, large, JSON_TYPE)) as Record<string, Json>;
    expect(body).toMatchObject({ bytes: large.length, contentType: 'application/json', filename: null });
    const file = await editor.send('GET', textOf(body.$ref));
    expect(textOf(file.body)).toBe(large);
    const flowId = await newFlow(editor);
    const { hook, ...made } = await newTrigger(editor, flowId, { max_bytes: 2_000_000 });
    expect((await raw('POST', hook, large, JSON_TYPE)).status).toBe(413);
    expect(made.body.max_bytes).toBe(2_000_000);
    const tooLarge = { name: 'x', verifier: { type: 'none' }, max_bytes: 25 * 1024 * 1024 + 1 };
    expect((await editor.send('POST', `/api/v1/flows/${flowId}/triggers`, { body: tooLarge })).status).toBe(400);
    // what nobody has signed is not read
    const verifier = { type: 'bearer', token: 'token-of-ours' };
    const closed = await newTrigger(editor, flowId, { verifier, max_bytes: 4 * 1024 * 1024 });
    expect((await raw('POST', closed.hook, large, JSON_TYPE)).status).toBe(401);
  });
});

describe('the answer to a sender', () => {
  it('is what the trigger says, over the delivery and the outcome', async () => {
    const flow = await newFlow(editor, { when: 'false' });
    const respond = {
      status: '{{ .state = "SKIP" ? 418 : 200 }}',
      headers: { 'X-Order': '{{ $hook.body.order }}', location: 'https://shop.example/thanks' },
      body: { state: '{{ .state }}', out: '{{ .out }}', order: '{{ $hook.body.order }}' },
    };
    const { hook } = await newTrigger(editor, flow, { wait: 5_000, respond });
    const answer = await raw('POST', hook, '{"order":7}', JSON_TYPE);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([418, { state: 'SKIP', out: null, order: 7 }]);
    expect(answer.headers).toMatchObject({
      ...{ 'x-order': '7', location: 'https://shop.example/thanks', 'content-type': 'application/json; charset=utf-8' },
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
  });

  it('may be empty, is that of a skipped delivery as well, and is ours where it cannot be made', async () => {
    const flow = await newFlow(editor);
    const empty = await newTrigger(editor, flow, { respond: { status: 200 }, when: '{{ $hook.body.go }}' });
    for (const body of ['{"go":true}', '{"go":false}'])
      expect(await raw('POST', empty.hook, body, JSON_TYPE)).toMatchObject({ status: 200, text: '' });
    const wrong = await newTrigger(editor, flow, { respond: { status: '{{ $hook.body.status }}', body: 'x' } });
    const answer = await raw('POST', wrong.hook, '{"status":"no status"}', JSON_TYPE);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      202,
      { playId: expect.any(String) as string, state: 'RUN' },
    ]);
    const split = await newTrigger(editor, flow, { respond: { headers: { 'x-a': '{{ $hook.body.a }}' } } });
    expect(
      (await raw('POST', split.hook, '{"a":"b\\r\\nset-cookie: sid=1"}', JSON_TYPE)).headers['set-cookie'],
    ).toBeUndefined();
  });

  it.each([
    [{ respond: { body: '{{ .out.a }}' } }, 422, /respond\.body.*set wait/],
    [{ wait: 1_000, respond: { body: '{{ .fetch.a }}' } }, 422, /there are \.out, \.error and \.state/],
    [{ respond: { headers: { 'Set-Cookie': 'a=b' } } }, 400, /may not answer with the header Set-Cookie/],
    [{ respond: { headers: { 'X-Accel-Redirect': '/x' } } }, 400, /may not answer with the header/],
    [{ respond: { status: 199 } }, 400, /status from 200 to 599/],
    [{ action: { type: 'event', name: 'a' }, wait: 1_000 }, 400, /could wait for/],
    [{ methods: ['DELETE'] }, 400, /methods/],
    [{ challenge: { in: 'header', field: 'a' } }, 400, /in must be one of/],
    [{ verifier: { type: 'token', token: '12345678' } }, 400, /needs header/],
    [{ verifier: { type: 'meta', secrets: ['1234'] } }, 400, /needs token/],
    [{ verifier: { type: 'hmac', header: 'a', secrets: ['1234'], template: '{body}{form}' } }, 400, /twilio alone/],
  ])('is refused where it cannot work: %#', async (fields, status, says) => {
    const body = { name: 'shop', verifier: { type: 'none' }, ...fields };
    const answer = await editor.send('POST', `/api/v1/flows/${await newFlow(editor)}/triggers`, { body });
    expect([answer.status, textOf(answer.body.detail)]).toEqual([status, expect.stringMatching(says)]);
  });
});

describe('a trigger that sends an event', () => {
  it('sends what its own user has said, since it sends it with the rights of that user', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const { path } = await newTrigger(admin, await newFlow(admin));
    const change = (by: Person, body: object) => by.send('PATCH', path, { body });
    const action = { type: 'event', name: 'payroll' };
    const denied = { status: 403, body: { code: 'denied', detail: expect.stringContaining('rotate') as string } };
    expect(await change(editor, { action })).toMatchObject(denied);
    expect((await change(admin, { action })).status).toBe(200);
    expect(await change(editor, { args: { approved: true } })).toMatchObject(denied);
    expect((await change(editor, { name: 'salaries' })).status).toBe(200);
    expect((await editor.send('POST', `${path}/rotate`)).status).toBe(200);
    expect((await change(editor, { args: { approved: true } })).status).toBe(200);
  });

  it('sends it to who waits, keeps it otherwise, and sends a repeated delivery once', async () => {
    const name = 'payment';
    const flow = await newFlow(editor);
    const made = await newTrigger(editor, flow, {
      action: { type: 'event', name, key: '{{ $hook.body.order }}' },
      args: { paid: '{{ $hook.body.paid }}' },
      dedupe: { header: 'x-id' },
    });
    expect(made.body.action).toEqual({ type: 'event', name, key: '{{ $hook.body.order }}' });
    // 1.0 would run the flow: it answers a verifier that it does not know with 401
    const inStore = await mongo.collection<TriggerDocument>(TRIGGERS).findOne({ _id: textOf(made.body.id) });
    expect(inStore?.verifier.type).toBe('event:none');
    expect((await editor.send('GET', made.path)).body.verifier).toMatchObject({ type: 'none' });
    const waiting = await storedFlow(mongo, editor, { wait: 'wait-event' });
    const waitOf = (key: string) => ({ position: 0, ref: 'wait', kind: 'event', event: { name, key } }) as const;
    const parked = (key: string) => parkedAt(waitOf(key));
    const storePlay = storedPlays(mongo, editor);
    const first = await storePlay(waiting, parked('7'));
    const sent = (order: string, id: string) =>
      deliver(made.hook, { body: { order, paid: 12 }, headers: { 'x-id': id } });
    expect(await sent('7', 'd1')).toMatchObject({ status: 202, body: { matched: 1, kept: false } });
    const inboxOf = async ({ _id }: Play) => (await mongo.collection<Play>(PLAYS).findOne({ _id }))?.inbox;
    expect(await inboxOf(first)).toMatchObject({ 0: { kind: 'event', payload: { paid: 12 } } });
    // again, when its sender crashed before a second play had it that waited as well; one that waits since then gets nothing
    const since = new Date(Date.now() - 60_000);
    const missed = await storePlay(waiting, parkedAt({ ...waitOf('7'), since }));
    const again = await sent('7', 'd1');
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' }, body: { matched: 1 } });
    expect(await inboxOf(missed)).toMatchObject({ 0: { kind: 'event', payload: { paid: 12 } } });
    const second = await storePlay(waiting, parked('7'));
    expect(await sent('7', 'd1')).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    expect(await inboxOf(second)).toBeUndefined();
    expect((await sent('8', 'd2')).body).toMatchObject({ matched: 0, kept: true });
    expect((await sent('8', 'd2')).body).toMatchObject({ matched: 0, kept: true });
    const third = await storePlay(waiting, parked('8'));
    await app.get(EventDelivery, { strict: false }).look(playKeyOf(third));
    expect(await inboxOf(third)).toMatchObject({ 0: { payload: { paid: 12 } } });
    expect(await deliver(made.hook, { body: { paid: 1 } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_args' },
    });
    const log = await logOf(made);
    expect(log.map(({ outcome }) => outcome)).toEqual([
      ...['refused', 'accepted', 'accepted', 'duplicate', 'duplicate', 'accepted'],
    ]);
    const replayed = await editor.send('POST', `${made.path}/deliveries/${textOf(log[2]?.id)}/replay`);
    expect(replayed).toMatchObject({ status: 200, body: { kept: true } });
  });
});

describe('listening for one call', () => {
  it('shows what arrived, without credentials, also what cannot be verified, and stops', async () => {
    const verifier = { type: 'github', secrets: ['secret of ours'] };
    const made = await newTrigger(editor, await newFlow(editor), { verifier });
    expect(made.body).toMatchObject({ listeningUntil: null, sample: null });
    const listen = () => editor.send('POST', `${made.path}/listen`);
    const until = Date.parse(textOf((await listen()).body.listeningUntil));
    expect(until).toBeGreaterThan(Date.now() + 200_000);
    const headers = { 'x-api-key': 'canary-key', 'x-hub-signature-256': 'sha256=00', 'x-event': 'push' };
    expect((await deliver(`${made.hook}?token=canary-query`, { body: { a: 1 }, headers })).status).toBe(401);
    const heard = await editor.send('GET', made.path);
    expect(heard.body).toMatchObject({
      listeningUntil: null,
      sample: {
        ...{ verified: false, method: 'POST', bytes: 7, isComplete: true, body: { a: 1 } },
        headers: { 'x-api-key': '[secret]', 'x-event': 'push' },
        query: { token: '[secret]' },
      },
    });
    expect(JSON.stringify(heard.body)).not.toContain('canary');
    await deliver(made.hook, { body: { a: 2 }, headers });
    expect((await editor.send('GET', made.path)).body).toMatchObject({ sample: { body: { a: 1 } } });
    await listen();
    const body = '{"a":3}';
    const signed = { ...JSON_TYPE, 'x-hub-signature-256': `sha256=${hex('secret of ours', body)}` };
    expect((await raw('POST', made.hook, body, signed)).status).toBe(202);
    expect((await editor.send('GET', made.path)).body).toMatchObject({ sample: { verified: true, body: { a: 3 } } });
    const viewer = await person('viewer', editor.scope.companyId);
    expect((await viewer.send('POST', `${made.path}/listen`)).status).toBe(403);
    expect((await (await person('admin')).send('POST', `${made.path}/listen`)).status).toBe(404);
  });
});

describe('the log of deliveries', () => {
  it('links to plays, hides credentials, tells what was refused, and repeats what it has', async () => {
    const made = await newTrigger(editor, await newFlow(editor), {
      when: '{{ $hook.body.go }}',
      dedupe: { header: 'x-id' },
    });
    const headers = { 'x-id': 'd1', cookie: 'sid=canary-cookie', 'x-api-key': 'canary-key' };
    const ran = await deliver(made.hook, { body: { go: true }, headers });
    await deliver(made.hook, { body: { go: false } });
    await deliver(made.hook, { body: '{ no json' });
    const log = await logOf(made);
    expect(log.map(({ outcome, playId, error, replayable }) => ({ outcome, playId, error, replayable }))).toMatchObject(
      [
        { outcome: 'refused', playId: null, error: { code: 'malformed_json' }, replayable: true },
        { outcome: 'skipped', playId: null, error: null, replayable: true },
        { outcome: 'accepted', playId: ran.body.playId, error: null, replayable: true },
      ],
    );
    expect(log[2]).toMatchObject({ dedupeId: 'd1', headers: { cookie: '[secret]', 'x-api-key': '[secret]' } });
    expect(JSON.stringify(log)).not.toContain('canary');

    const replay = (i: number) => editor.send('POST', `${made.path}/deliveries/${textOf(log[i]?.id)}/replay`);
    const again = await replay(2);
    expect(again.status).toBe(202);
    expect(again.body.playId).not.toBe(ran.body.playId);
    expect((await playOf(again))?.args).toMatchObject({ body: { go: true } });
    expect(await replay(1)).toMatchObject({ status: 200, body: { skipped: true } });
    expect(await replay(0)).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    const [, , repeated] = await logOf(made);
    expect(repeated).toMatchObject({ outcome: 'accepted', replayOf: log[2]?.id, playId: again.body.playId });
  });
});
