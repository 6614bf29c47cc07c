import { spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SETTINGS, type Settings } from '@weft/config';
import { idBefore } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import type { Play } from '@weft/engine';
import { AUDIT_LOGS, ChangeSequencer, PLAYS, type AuditDocument } from '@weft/store';
import { WEBHOOKS, type WebhookDocument } from '@weft/records';
import { PassRunner } from '@weft/process';
import { CompanyLimits } from '@weft/runs';
import { ledgerServer, waitFor, type LedgerCall, type LedgerServer } from '@weft/testing';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mailServer } from '../../../../test/fixtures/mail-server.js';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { playMoves } from '../../../../test/fixtures/ended-play.js';
import { runPasses } from '../../../../test/fixtures/run-passes.js';
import { Glance } from '../glance.js';
import { WebhookDeliverer } from './webhook-deliverer.js';

const { app, mongo, person } = await liveApi();
const moves = playMoves(mongo);
const DAY_MS = 86_400_000;

/** A scheduler's part. */
function startDeliverer(): { readonly stop: () => Promise<void> } {
  const settings = app.get<Settings>(SETTINGS, { strict: false });
  const limits = app.get(CompanyLimits, { strict: false });
  const log = pino({ level: 'silent' });
  const glance = new Glance(mongo, app.get(PassRunner, { strict: false }));
  const made = new WebhookDeliverer(
    settings,
    log,
    newId,
    mongo,
    new Metrics(),
    new ChangeSequencer(mongo),
    limits,
    glance,
  );
  const stopPasses = runPasses(made);
  return { stop: () => stopPasses().then(() => made.drain(5_000)) };
}

let deliverer: ReturnType<typeof startDeliverer>;
beforeAll(() => {
  deliverer = startDeliverer();
});
afterAll(() => deliverer.stop());

const receivers: LedgerServer[] = [];
async function receiver(): Promise<LedgerServer> {
  const made = await ledgerServer();
  receivers.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((each) => each.close()));
});

interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

async function endpoint(admin: Person, url: string, fields: object = {}): Promise<Endpoint> {
  const body = { name: 'spec', url, events: ['play.done', 'play.failed'], ...fields };
  const answer = await admin.send('POST', '/api/v1/webhooks', { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const id = textOf(answer.body.id);
  return { id, secret: textOf(answer.body.secret), path: `/api/v1/webhooks/${id}` };
}

async function company() {
  const admin = await person('admin');
  const flowId = await storedFlow(mongo, admin);
  const newPlay = storedPlays(mongo, admin);
  return { admin, flowId, newPlay, end: async (state?: 'DONE' | 'FAIL') => moves.end(await newPlay(flowId), state) };
}

const idsAt = (to: LedgerServer) => to.calls.map(({ headers }) => headers['webhook-id']);
const calls = (to: LedgerServer, count: number) =>
  waitFor(() => to.calls.length >= count && to.calls, { what: `${count} calls` });

async function deliveries(admin: Person, { path }: Endpoint, query = ''): Promise<readonly Json[]> {
  const { body } = await admin.send('GET', `${path}/deliveries${query}`);
  return body.items as unknown as Json[];
}

const settled = (admin: Person, to: Endpoint, state: string, count = 1) =>
  waitFor(
    async () => {
      const found = await deliveries(admin, to, `?state=${state}`);
      return found.length >= count && found;
    },
    { what: `${count} deliveries that are ${state}` },
  );

function verified({ headers, body }: LedgerCall, secret: string): Json {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Json;
}

async function storedWebhook({ id }: Endpoint): Promise<WebhookDocument> {
  const found = await mongo.collection<WebhookDocument>(WEBHOOKS).findOne({ _id: id });
  if (!found) throw new Error('there is no such webhook');
  return found;
}

describe('an endpoint', () => {
  it('gets each event that it wants once, signed, under an id of the play and its frame', async () => {
    const { admin, flowId, newPlay, end } = await company();
    const to = await receiver();
    await end();
    const events = ['play.accepted', 'play.waiting', 'play.done', 'play.failed'];
    const webhook = await endpoint(admin, to.url, { events });
    const parked = await moves.park(await newPlay(flowId));
    const done = await end();
    const failed = await end('FAIL');
    await calls(to, 6);
    expect(idsAt(to).sort()).toEqual(
      [
        `${webhook.id}_${parked._id}_0`,
        `${webhook.id}_${parked._id}_2`,
        ...[done, failed].flatMap(({ _id }) => [`${webhook.id}_${_id}_0`, `${webhook.id}_${_id}_2`]),
      ].sort(),
    );
    const call = to.calls.find(({ headers }) => headers['webhook-id'] === `${webhook.id}_${failed._id}_2`);
    expect(verified(call as LedgerCall, webhook.secret)).toMatchObject({
      type: 'play.failed',
      data: { playId: failed._id, flowId, seq: 2, state: 'FAIL', error: { code: 'internal' }, labels: {} },
    });
    expect((await settled(admin, webhook, 'delivered', 6)).length).toBe(6);
  });

  it('gets only events of the flows and the labels that it names', async () => {
    const { admin, flowId, newPlay, end } = await company();
    const [ofFlow, ofLabel] = [await receiver(), await receiver()];
    const other = await storedFlow(mongo, admin);
    await endpoint(admin, ofFlow.url, { flow_ids: [other] });
    await endpoint(admin, ofLabel.url, { labels: { env: 'prod' } });
    await end();
    const wanted = await moves.end(await newPlay(other));
    const labelled = await moves.end(await newPlay(flowId, { labels: ['env:prod', 'x:y'] }));
    await Promise.all([calls(ofFlow, 1), calls(ofLabel, 1)]);
    expect(idsAt(ofFlow).map((id) => String(id).includes(wanted._id))).toEqual([true]);
    expect(idsAt(ofLabel).map((id) => String(id).includes(labelled._id))).toEqual([true]);
  });

  it('is tried by its schedule under the same id, given up, and replayed', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    to.answerWith(() => ({ status: 500, body: 'x'.repeat(5_000) }));
    const webhook = await endpoint(admin, to.url, { schedule: [0, 0, 0] });
    await end();
    const [given] = await settled(admin, webhook, 'failed');
    expect(new Set(idsAt(to)).size).toBe(1);
    const attempts = (given?.attempts ?? []) as unknown as Json[];
    expect(attempts.map(({ status, error }) => [status, error])).toEqual(Array(3).fill([500, 'bad_status']));
    expect(textOf(attempts[0]?.answer)).toHaveLength(2_048);
    to.answerWith(() => ({ status: 204 }));
    const path = `${webhook.path}/deliveries/${textOf(given?.id)}/replay`;
    expect((await admin.send('POST', path)).body.state).toBe('pending');
    await settled(admin, webhook, 'delivered');
    expect(new Set(idsAt(to)).size).toBe(1);
    expect((await admin.send('POST', `${webhook.path}/deliveries/none/replay`)).status).toBe(404);
  });

  it('gets an event again that is replayed while its last attempt is in flight', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    const replayed = Promise.withResolvers<void>();
    to.answerWith(() => replayed.promise.then(() => ({ status: 500 })));
    const webhook = await endpoint(admin, to.url, { schedule: [0] });
    await end();
    await calls(to, 1);
    to.answerWith(() => ({ status: 204 }));
    await admin.send('POST', `${webhook.path}/deliveries/${String(idsAt(to)[0])}/replay`);
    replayed.resolve();
    const [delivered] = await settled(admin, webhook, 'delivered');
    const attempts = (delivered?.attempts ?? []) as unknown as Json[];
    expect(attempts.map(({ status }) => status)).toEqual([500, 204]);
  });

  it('must answer 2xx itself: redirects are not followed, and guarded addresses are not called', async () => {
    const { admin, end } = await company();
    const [to, elsewhere] = [await receiver(), await receiver()];
    to.answerWith(() => ({ status: 302, headers: { location: elsewhere.url } }));
    const redirecting = await endpoint(admin, to.url, { schedule: [0] });
    const inside = await endpoint(admin, 'http://169.254.169.254/latest', { schedule: [0] });
    await end();
    const [refused] = await settled(admin, redirecting, 'failed');
    expect((refused?.attempts as unknown as Json[])[0]?.status).toBe(302);
    const [blocked] = await settled(admin, inside, 'failed');
    expect(textOf((blocked?.attempts as unknown as Json[])[0]?.error)).toContain('destination_blocked');
    expect(elsewhere.calls).toHaveLength(0);
  });

  it('waits as long as the receiver asks with Retry-After, and gives up a message when it says so', async () => {
    const { admin, end } = await company();
    const [busy, picky] = [await receiver(), await receiver()];
    busy.answerWith(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    picky.answerWith(() => ({ status: 422, headers: { 'webhook-delivery': 'abort-message' } }));
    const asked = await endpoint(admin, busy.url, { schedule: [0, 0] });
    const aborted = await endpoint(admin, picky.url);
    await end();
    expect((await settled(admin, aborted, 'aborted'))[0]?.attempts).toHaveLength(1);
    const later = await waitFor(
      async () => (await deliveries(admin, asked)).find(({ attempts }) => (attempts as unknown as Json[]).length === 1),
      { what: 'an attempt that was refused' },
    );
    expect(Date.parse(textOf(later.next_attempt)) - Date.now()).toBeGreaterThan(3_000_000);
  });

  it.each([
    { why: 'its receiver answers 410', answer: { status: 410 } },
    { why: 'its receiver asks for it', answer: { status: 500, headers: { 'webhook-delivery': 'disable' } } },
  ])('is disabled when $why, with an audit entry and an event for others', async ({ answer }) => {
    const { admin, end } = await company();
    const [gone, other] = [await receiver(), await receiver()];
    gone.answerWith(() => answer);
    const dead = await endpoint(admin, gone.url);
    const alive = await endpoint(admin, other.url, { events: ['webhook.disabled'] });
    await end();
    await calls(other, 1);
    const [entry] = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ action_type: 'webhook_disabled', resource_id: dead.id })
      .toArray();
    expect(idsAt(other)).toEqual([`${alive.id}_${entry?._id}`]);
    expect(verified(other.calls[0] as LedgerCall, alive.secret)).toMatchObject({ data: { webhookId: dead.id } });
    expect((await admin.send('GET', dead.path)).body).toMatchObject({ enabled: false });
    expect(await deliveries(admin, dead)).toMatchObject([{ state: 'failed' }]);
  });

  it('is disabled after five days of failures and twenty attempts, and says so by mail', async () => {
    const { admin, end } = await company();
    const [to, mail] = [await receiver(), await mailServer()];
    to.answerWith(() => ({ status: 500 }));
    const integration = {
      type: 'smtp',
      name: 'mail',
      endpoint: `smtp://127.0.0.1:${mail.port}`,
      access_token: 'weft@example.com:',
    };
    const link = await admin.send('POST', '/api/v1/integrations', { body: integration });
    const notify = { integrationId: textOf(link.body.id), to: 'ops@example.com' };
    const webhook = await endpoint(admin, to.url, { notify, schedule: [0] });
    await end();
    await settled(admin, webhook, 'failed');
    await waitFor(async () => (await storedWebhook(webhook)).failures === 1, { what: 'the failure to be counted' });
    const longAgo = { failing_since: new Date(Date.now() - 5 * DAY_MS - 1_000), failures: 18 };
    await mongo.collection<WebhookDocument>(WEBHOOKS).updateOne({ _id: webhook.id }, { $set: longAgo });
    await end();
    await settled(admin, webhook, 'failed', 2);
    await waitFor(async () => (await storedWebhook(webhook)).failures === 19, { what: 'one failure less than enough' });
    expect((await storedWebhook(webhook)).enabled).toBe(true);
    await end();
    await waitFor(async () => !(await storedWebhook(webhook)).enabled, { what: 'the webhook to be disabled' });
    await waitFor(() => mail.seen.length > 0, { what: 'the mail' });
    expect(mail.seen).toMatchObject([{ to: ['ops@example.com'], from: 'weft@example.com' }]);
  });

  it('signs with both secrets for a day after a rotation', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    const webhook = await endpoint(admin, to.url);
    const { body } = await admin.send('POST', `${webhook.path}/rotate`);
    await end();
    await calls(to, 1);
    const [first] = to.calls as readonly [LedgerCall];
    expect(verified(first, webhook.secret)).toEqual(verified(first, textOf(body.secret)));
    const past = { previous_until: new Date(Date.now() - 1_000) };
    await mongo.collection<WebhookDocument>(WEBHOOKS).updateOne({ _id: webhook.id }, { $set: past });
    await waitFor(
      async () => {
        await end();
        await calls(to, to.calls.length + 1);
        return String(to.calls.at(-1)?.headers['webhook-signature']).split(' ').length === 1;
      },
      { what: 'the old secret to be forgotten' },
    );
    expect(() => verified(to.calls.at(-1) as LedgerCall, webhook.secret)).toThrow();
  });

  it('gets events that its public key verifies, where it asked for that', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    const body = { name: 'spec', url: to.url, events: ['play.done'], signing: 'v1a' };
    const made = await admin.send('POST', '/api/v1/webhooks', { body });
    expect(made.body.secret).toBeUndefined();
    const shown = textOf(made.body.public_key);
    await end();
    const rotated = await admin.send('POST', `/api/v1/webhooks/${textOf(made.body.id)}/rotate`);
    const next = textOf(rotated.body.public_key);
    await calls(to, 1);
    await end();
    await calls(to, 2);
    const isSignedBy = ({ headers, body: text }: LedgerCall, publicKey: string): boolean => {
      const raw = Buffer.from(publicKey.replace('whpk_', ''), 'base64');
      const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
      const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
      const signed = Buffer.from([headers['webhook-id'], headers['webhook-timestamp'], text].map(String).join('.'));
      const signatures = String(headers['webhook-signature']).split(' ');
      return signatures.some((each) => verify(null, signed, key, Buffer.from(each.replace('v1a,', ''), 'base64')));
    };
    expect(to.calls.map((call) => isSignedBy(call, shown))).toEqual([true, true]);
    expect(isSignedBy(to.calls[1] as LedgerCall, next)).toBe(true);
    expect(isSignedBy({ ...(to.calls[1] as LedgerCall), body: '{}' }, next)).toBe(false);
  });

  it('gets events in order where it is ordered, also when one of them is refused', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    let refusals = 3;
    to.answerWith(() => ({ status: (refusals -= 1) >= 0 ? 503 : 200 }));
    const webhook = await endpoint(admin, to.url, { ordered: true, schedule: Array(10).fill(0) });
    const ended: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      ended.push((await end())._id);
      // plays that end together have no order
      await waitFor(async () => (await deliveries(admin, webhook)).length === i + 1, { what: 'the event to be found' });
    }
    await calls(to, 8);
    const order = idsAt(to).map((id) => String(id).split('_')[1]);
    expect(order.slice(0, 4)).toEqual(Array(4).fill(ended[0]));
    expect(order.slice(3)).toEqual(ended);
  });

  it('gets what it should have while the receiver of another one hangs', async () => {
    const { admin, end } = await company();
    const [hanging, fast] = [await receiver(), await receiver()];
    hanging.answerWith(() => ({ delayMs: 60_000 }));
    await endpoint(admin, hanging.url, { max_in_flight: 4 });
    await endpoint(admin, fast.url);
    for (let i = 0; i < 30; i += 1) await end();
    await calls(fast, 30);
    expect(hanging.calls.length).toBeLessThanOrEqual(4);
  });

  it('gets what it missed while it was disabled when a time is replayed, each under the id that it would have had', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    const webhook = await endpoint(admin, to.url);
    const since = new Date(Date.now() - 60_000).toISOString();
    const before = await end();
    await calls(to, 1);
    await admin.send('PATCH', webhook.path, { body: { enabled: false } });
    const missed = await end();
    await admin.send('PATCH', webhook.path, { body: { enabled: true } });
    const after = await end();
    await calls(to, 2);
    expect(idsAt(to)).toEqual([before, after].map(({ _id }) => `${webhook.id}_${_id}_2`));
    const body = { since, until: new Date(Date.now() + 60_000).toISOString(), only: 'all' };
    const replay = await admin.send('POST', `${webhook.path}/replay`, { body });
    expect(replay.status).toBe(202);
    await calls(to, 5);
    expect(idsAt(to).slice(2).sort()).toEqual(
      [before, missed, after].map(({ _id }) => `${webhook.id}_${_id}_2`).sort(),
    );
    const path = `${webhook.path}/replays/${textOf(replay.body.id)}`;
    await waitFor(async () => textOf((await admin.send('GET', path)).body.state) === 'done', { what: 'its end' });
    expect((await admin.send('GET', path)).body).toMatchObject({ matched: 3, changed: 3 });
  });

  it('gets events of a time before the company had a change log when that time is replayed', async () => {
    const { admin, flowId, newPlay } = await company();
    const to = await receiver();
    const [age, playId] = [90 * 60_000, newId()];
    const old = await moves.end(await newPlay(flowId, { _id: idBefore(playId, age) }));
    const at = new Date(Date.now() - age);
    await mongo.collection<Play>(PLAYS).updateOne({ _id: old._id }, { $set: { 'log.$[].at': at } });
    const webhook = await endpoint(admin, to.url);
    const [since, until] = [120, 60].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
    await admin.send('POST', `${webhook.path}/replay`, { body: { since, until, only: 'all' } });
    await calls(to, 1);
    expect(idsAt(to)).toEqual([`${webhook.id}_${old._id}_2`]);
  });

  it('is delivered to by another process when one stops', async () => {
    const { admin, end } = await company();
    const to = await receiver();
    await endpoint(admin, to.url);
    await end();
    await calls(to, 1);
    const second = startDeliverer();
    await deliverer.stop();
    deliverer = second;
    await end();
    await calls(to, 2);
    expect(new Set(idsAt(to)).size).toBe(2);
  });

  it('gets a test event, signed, that says so', async () => {
    const { admin } = await company();
    const to = await receiver();
    const webhook = await endpoint(admin, to.url, { enabled: false });
    const { body } = await admin.send('POST', `${webhook.path}/test`);
    expect(body).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
    expect(verified(to.calls[0] as LedgerCall, webhook.secret)).toMatchObject({
      type: 'play.done',
      data: { test: true },
    });
  });

  it('hears of changes of flows', async () => {
    const { admin, flowId } = await company();
    const to = await receiver();
    await endpoint(admin, to.url, { events: ['flow.changed'] });
    await admin.send('PATCH', `/api/v1/flows/${flowId}`, { body: { description: 'new' } });
    await calls(to, 1);
    expect(JSON.parse((to.calls[0] as LedgerCall).body)).toMatchObject({
      type: 'flow.changed',
      data: { flowId, action: 'flow_updated', userId: admin.userId },
    });
  });

  it('is received by the receiver of the docs, which refuses what is not signed', async () => {
    const { admin, end } = await company();
    const webhook = await endpoint(admin, 'http://127.0.0.1:9/');
    const program = fileURLToPath(new URL('../../../../docs/examples/receive-webhooks.ts', import.meta.url));
    const env = { ...process.env, WEBHOOK_SECRET: webhook.secret, PORT: '0' };
    const receiving = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    receiving.stdout.on('data', (chunk: Buffer) => (said += String(chunk)));
    try {
      const port = await waitFor(() => /"port":(\d+)/.exec(said)?.[1], { what: 'the receiver' });
      const url = `http://127.0.0.1:${port}/`;
      await admin.send('PATCH', webhook.path, { body: { url } });
      const { _id } = await end();
      await waitFor(() => said.includes(`${webhook.id}_${_id}_2 {"type":"play.done"`), { what: 'the event' });
      await settled(admin, webhook, 'delivered');
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const headers = { 'webhook-id': 'x', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,AAAA' };
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
    } finally {
      receiving.kill();
    }
  });
});
