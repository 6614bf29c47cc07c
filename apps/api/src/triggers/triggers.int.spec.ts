import { AUDIT_LOGS, PLAYS, type AuditDocument } from '@weft/store';
import { TRIGGERS, USERS, type TriggerDocument, type UserDocument } from '@weft/records';
import type { Play } from '@weft/engine';
import { waitFor } from '@weft/testing';
import { newSecret, Signer } from '@weft/webhooks';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json, type Person, type Send } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
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
