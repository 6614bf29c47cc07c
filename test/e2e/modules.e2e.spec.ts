import type { FlowView, PlayFrame, PlayLayerView, PlayView } from '@weft/contracts';
import { layerModules } from '@weft/layers';
import { livePostgres, mcpServer, modelProvider, s3Server, socketClient, waitFor } from '@weft/testing';
import { expect, it, onTestFinished } from 'vitest';
import { mailServer } from '../../libs/layers/src/modules/email/mail-server.fixture.js';
import { openChromium } from '../fixtures/chromium.js';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, ledger, one } = fleet;
const KEY = 'sk-of-the-model';
ledger.answerWith(({ path, body }) => {
  if (path === '/v1/chat/completions') {
    const usage = { prompt_tokens: 100, completion_tokens: 50 };
    return { body: { choices: [{ message: { role: 'assistant', content: 'All is well.' } }], usage } };
  }
  return { body: { path, said: body === '' ? null : (JSON.parse(body) as unknown) } };
});

interface Layer {
  readonly ref: string;
  readonly appId: string;
  readonly args: object;
}

async function flow(name: string, layers: readonly Layer[]): Promise<string> {
  const document = { schema: 'weft.flow/1', name, layers };
  const { status, body } = await admin.send<FlowView>('POST', '/api/v1/flows/import', { document });
  expect([status, body]).toMatchObject([201, { enabled: false }]);
  expect((await admin.send('PUT', `/api/v1/flows/${body.id}`, { enabled: true })).status).toBe(200);
  return body.id;
}

async function link(fields: object): Promise<string> {
  const { body } = await admin.send<{ id: string }>('POST', '/api/v1/integrations', { name: 'A link', ...fields });
  return body.id;
}

/** An API with one operation, whose document the ledger serves. */
async function importBell(): Promise<void> {
  const parameters = [{ name: 'times', in: 'query', schema: { type: 'integer' } }];
  const responses = { 200: { description: 'Rung.', content: { 'application/json': { schema: { type: 'object' } } } } };
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Bell', version: '1' }, servers: [{ url: ledger.url }] },
    paths: { '/bell': { get: { operationId: 'ring', parameters, responses } } },
  };
  const body = { name: 'Bell', key: 'bell', source: { document: JSON.stringify(document) } };
  const { id } = await admin.must<{ id: string }>(202, 'POST', '/api/v1/apis', body);
  const isReady = async () => (await admin.must<{ state: string }>(200, 'GET', `/api/v1/apis/${id}`)).state === 'ready';
  await waitFor(isReady, { what: 'the API to be imported' });
}

/** An MCP server with one tool, which another process serves. */
async function addAdder(): Promise<void> {
  const adder = await mcpServer('2025', {
    tools: [
      { name: 'add', inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
    ],
    perform: ({ arguments: { a, b } = {} }) => ({
      content: [{ type: 'text', text: 'Added.' }],
      structuredContent: { sum: Number(a) + Number(b) },
    }),
  });
  onTestFinished(() => adder.close());
  const body = { name: 'Adder', key: 'adder', url: adder.url };
  const { id } = await admin.must<{ id: string }>(202, 'POST', '/api/v1/mcp-servers', body);
  const path = `/api/v1/mcp-servers/${id}`;
  const isReady = async () => (await admin.must<{ state: string }>(200, 'GET', path)).state === 'ready';
  await waitFor(isReady, { what: 'the tools to be read' });
}

async function until(playId: string, ref: string, state: string): Promise<void> {
  const isThere = async () => {
    const { error } = await admin.play(playId);
    if (error) throw new Error(`the play failed before ${ref}: ${JSON.stringify(error)}`);
    return (await admin.layers(playId)).some((layer) => layer.ref === ref && layer.state === state);
  };
  await waitFor(isThere, { what: `${ref} to be ${state}` });
}

it('runs a flow that uses every module, with real peers, to DONE', async () => {
  const [mail, storage, postgres, provider] = await Promise.all([
    mailServer(),
    s3Server({ buckets: ['orders'] }),
    livePostgres(),
    modelProvider(),
  ]);
  onTestFinished(() => provider.close());
  provider.answerWith([{ calls: [{ name: 'greet', arguments: { name: 'Eve' } }] }, { text: 'Greeted.' }]);
  const { username, password, host, pathname } = new URL(postgres.uri);
  const [server, chat, model, helper, bucket, database] = await Promise.all([
    link({ type: 'smtp', endpoint: `smtp://127.0.0.1:${mail.port}`, access_token: 'me@weft.test:right' }),
    link({ type: 'slack', access_token: `${ledger.url}/hooks/secret` }),
    link({ type: 'local-model', endpoint: `${ledger.url}/v1`, access_token: KEY }),
    link({ type: 'helper', endpoint: provider.url, access_token: KEY }),
    link({
      ...{ type: 's3', endpoint: storage.url, kind: 'aws_sigv4', secrets: storage.keys },
      settings: { region: 'eu-central-1', service: 's3' },
    }),
    link({
      ...{ type: 'postgres', endpoint: `postgres://${host}${pathname}`, kind: 'basic', username, password },
      settings: { tls: 'off' },
    }),
  ]);
  await Promise.all([importBell(), addAdder()]);
  const child = await flow('Called', [
    { ref: 'greet', appId: 'text-template', args: { template: 'Hello {{ $prev.args.name }}' } },
  ]);
  const layers: Layer[] = [
    { ref: 'fetch', appId: 'web-request', args: { url: `${ledger.url}/echo`, method: 'POST', body: { order: 'A-7' } } },
    { ref: 'ring', appId: 'operation', args: { api: 'bell', operation: 'ring', input: { query: { times: 2 } } } },
    {
      ref: 'added',
      appId: 'mcp-tool',
      args: { server: 'adder', tool: 'add', input: { a: 2, b: '{{ .ring.statusCode }}' } },
    },
    { ref: 'sum', appId: 'transform', args: { expression: '$prev.fetch.json.said.order & "!"' } },
    { ref: 'number', appId: 'text-extraction', args: { source: '{{ .sum.value }}', kind: 'regex', pattern: '[0-9]+' } },
    { ref: 'double', appId: 'code', args: { source: 'return Number(input) * 2;', input: '{{ .number.text }}' } },
    { ref: 'passes', appId: 'filter', args: { condition: '{{ .double.value }}' } },
    { ref: 'way', appId: 'branch', args: { cases: [{ when: 'false', refs: ['never'] }], else: [] } },
    { ref: 'never', appId: 'text-template', args: { template: 'not taken' } },
    { ref: 'pause', appId: 'delay', args: { ms: 20 } },
    { ref: 'ok', appId: 'approval', args: { message: 'Go on?', timeoutMs: 600_000 } },
    { ref: 'paid', appId: 'wait-event', args: { name: 'paid', key: '{{ $play.id }}' } },
    { ref: 'call', appId: 'run-flow', args: { flowId: child, args: { name: '{{ .paid.payload.by }}' } } },
    { ref: 'count', appId: 'kv', args: { op: 'increment', key: 'orders', by: '{{ .double.value }}' } },
    {
      ref: 'ask',
      appId: 'ai-chat',
      args: { integrationId: model, model: 'm', messages: [{ role: 'user', content: 'How?' }] },
    },
    {
      ref: 'help',
      appId: 'agent',
      args: {
        ...{ integrationId: helper, model: 'm', instructions: 'Greet.', input: '{{ .ask.text }}' },
        tools: [{ kind: 'flow', flowId: child, name: 'greet' }],
      },
    },
    {
      ref: 'tell',
      appId: 'message',
      args: { integrationId: chat, text: '{{ .ask.text }}', fields: { n: '{{ .count.value }}' } },
    },
    {
      ref: 'mail',
      appId: 'email',
      args: { integrationId: server, to: 'you@weft.test', subject: '{{ .call.out.text }}', text: '{{ .ask.text }}' },
    },
    {
      ref: 'keep',
      appId: 's3',
      args: { integrationId: bucket, op: 'put', bucket: 'orders', key: '{{ .sum.value }}', body: '{{ .ask.text }}' },
    },
    {
      ref: 'kept',
      appId: 's3',
      args: { integrationId: bucket, op: 'get', bucket: 'orders', key: '{{ .keep.key }}' },
    },
    {
      ref: 'moved',
      appId: 's3',
      args: { integrationId: bucket, op: 'put', bucket: 'orders', key: 'again', body: '{{ .kept.file }}' },
    },
    {
      ref: 'all',
      appId: 's3',
      args: { integrationId: bucket, op: 'list', bucket: 'orders', max: 1, paginate: { maxPages: 5 } },
    },
    { ref: 'share', appId: 's3', args: { integrationId: bucket, op: 'presign', bucket: 'orders', key: 'again' } },
    { ref: 'given', appId: 'message', args: { integrationId: chat, text: '{{ .share.url }}' } },
    {
      ref: 'record',
      appId: 'sql-transaction',
      args: {
        integrationId: database,
        statements: [
          { statement: 'create table sums (n int)' },
          {
            statement: 'insert into sums values (:n) returning n',
            params: { n: '{{ .double.value }}' },
            expectRows: 1,
          },
        ],
      },
    },
    {
      ref: 'read',
      appId: 'sql',
      args: { integrationId: database, statement: 'select n + 1 as next from sums', mode: 'one', readOnly: true },
    },
  ];
  expect([...layerModules.keys()].filter((appId) => !layers.some((layer) => layer.appId === appId))).toEqual([]);
  const { playId } = await admin.run(await flow('Everything', layers));
  const socket = socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });

  await until(playId, 'ok', 'WAIT');
  const decision = { decision: 'approve', comment: 'go' };
  expect((await admin.send('POST', `/api/v1/plays/${playId}/approvals/ok`, decision)).status).toBe(200);
  await until(playId, 'paid', 'WAIT');
  const event = { name: 'paid', key: playId, payload: { by: 'Ada' } };
  expect((await admin.send('POST', '/api/v1/events', event)).body).toEqual({ matched: 1, kept: false });

  expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE', error: null });
  const outs = Object.fromEntries((await admin.layers(playId)).map(({ ref, out }: PlayLayerView) => [ref, out]));
  expect(outs).toMatchObject({
    fetch: { statusCode: 200, json: { said: { order: 'A-7' } } },
    ring: { statusCode: 200, body: { path: '/bell?times=2' } },
    added: { content: [{ type: 'text', text: 'Added.' }], structured: { sum: 202 }, isError: false },
    ...{ sum: { value: 'A-7!' }, number: { text: '7' }, double: { value: 14 }, passes: { passed: true }, never: null },
    ok: { decision: 'approve', comment: 'go' },
    paid: { payload: { by: 'Ada' } },
    call: { state: 'DONE', out: { text: 'Hello Ada' } },
    count: { value: 14, existed: false },
    // 100 tokens in at 10 dollars a million, 50 out at 20
    ask: { text: 'All is well.', tokensIn: 100, tokensOut: 50, cost: 0.002 },
    help: { text: 'Greeted.', stop: 'end', usage: { calls: 1 } },
    tell: { statusCode: 200 },
    mail: { accepted: ['you@weft.test'], rejected: [] },
    keep: { key: 'A-7!', bytes: 12 },
    kept: { file: { bytes: 12, contentType: 'text/plain; charset=utf-8', filename: 'A-7!' } },
    moved: { key: 'again', bytes: 12, etag: (outs.keep as { etag: string }).etag },
    all: {
      pages: [
        { items: [{ key: 'A-7!' }], next: 'A-7!' },
        { items: [{ key: 'again' }], next: null },
      ],
      count: 2,
    },
    share: { key: 'again', url: expect.stringContaining('X-Amz-Signature=') as string },
    record: { results: [{ rows: [] }, { rows: [{ n: 14 }] }] },
    read: { rows: [{ next: 15 }] },
  });
  expect(JSON.parse(ledger.callsTo('/hooks/secret')[1]?.body ?? '')).toEqual({
    text: (outs.share as { url: string }).url,
  });
  expect(mail.seen).toMatchObject([{ from: 'me@weft.test', to: ['you@weft.test'], user: 'me@weft.test' }]);
  expect(mail.seen[0]?.raw).toContain('Subject: Hello Ada');
  expect(ledger.callsTo('/v1/chat/completions')[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(JSON.parse(ledger.callsTo('/hooks/secret')[0]?.body ?? '')).toMatchObject({ text: 'All is well.' });
  const called = (
    await admin.send<PlayView>('GET', `/api/v1/plays/${String((outs.call as { playId: string }).playId)}`)
  ).body;
  expect(called).toMatchObject({ state: 'DONE', trigger: 'flow', parentPlayId: playId, flowId: child });
  await socket.closed;
  const end = socket.frames.at(-1) as PlayFrame;
  expect(end).toMatchObject({ type: 'play_complete', data: { kv_summary: { reads: 0, writes: 1, keys: ['orders'] } } });
  const metrics = await fetch(`${one('worker').url}/metrics`).then((answer) => answer.text());
  expect(metrics).toContain('weft_ai_tokens_total{provider="local-model"} 150');
  expect(metrics).toContain('weft_ai_cost_dollars{provider="local-model"} 0.002');
  expect(JSON.stringify([outs, socket.frames]) + metrics).not.toMatch(/sk-of-the-model|hooks\/secret|:right/);
  expect(JSON.stringify([outs, socket.frames])).not.toContain(storage.keys.secret_access_key);
  expect(JSON.stringify(socket.frames)).not.toContain('X-Amz-Signature');
});

it('fails with the play that it waits for, also when that is cancelled, and not with one that it does not wait for', async () => {
  const waits = await flow('Waits', [{ ref: 'nap', appId: 'wait-event', args: { name: 'never' } }]);
  const { playId } = await admin.run(
    await flow('Caller', [{ ref: 'call', appId: 'run-flow', args: { flowId: waits } }]),
  );
  const lone = await admin.run(
    await flow('Sets off', [{ ref: 'call', appId: 'run-flow', args: { flowId: waits, wait: false } }]),
  );
  expect(await admin.waitForPlay(lone.playId)).toMatchObject({ state: 'DONE' });
  await admin.waitForPlay(playId, { state: 'WAIT' });
  const { items } = (await admin.send<{ items: PlayView[] }>('GET', `/api/v1/plays?flowId=${waits}`)).body;
  for (const { id } of items) expect((await admin.send('POST', `/api/v1/plays/${id}/cancel`)).status).toBe(200);
  const failed = await admin.waitForPlay(playId);
  expect(failed).toMatchObject({ state: 'FAIL', error: { code: 'child_failed', ref: 'call' } });
  expect(failed.error?.message).toContain('cancelled');
});

it('goes on when somebody without an account opens the link in a mail, reads it and approves', async () => {
  const [mail, browser] = await Promise.all([mailServer(), openChromium()]);
  onTestFinished(() => browser.close());
  const server = await link({
    ...{ type: 'smtp', endpoint: `smtp://127.0.0.1:${mail.port}`, access_token: 'me@weft.test:right' },
  });
  const text = 'Decide here: {{ $play.approvals.ok.url }}';
  const { playId } = await admin.run(
    await flow('Asks by mail', [
      { ref: 'mail', appId: 'email', args: { integrationId: server, to: 'boss@weft.test', subject: 'Pay?', text } },
      { ref: 'ok', appId: 'approval', args: { message: 'Pay <i>7</i> euro?', link: 'holder' } },
    ]),
  );
  await until(playId, 'ok', 'WAIT');
  // long lines of a mail are folded
  const raw = (mail.seen[0]?.raw ?? '').replace(/=\r\n/g, '');
  const fragment = /\/approve#\S+/.exec(raw)?.[0] ?? '';
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(admin.url + fragment);
  await page.getByText('Pay <i>7</i> euro?').waitFor();
  expect((await admin.play(playId)).state).toBe('WAIT');
  await page.fill('textarea', 'with pleasure');
  await page.click('#approve');
  await page.getByText('Approved. Thank you.').waitFor();
  expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
  const [, approved] = await admin.layers(playId);
  expect(approved?.out).toMatchObject({ decision: 'approve', by: 'link', comment: 'with pleasure' });
  await page.reload();
  await page.getByText('it was decided').waitFor();
  const token = fragment.split('#')[1] ?? '';
  expect(token.length).toBeGreaterThan(60);
  const logs = ['api', 'worker', 'scheduler', 'realtime'].map((app) => one(app as 'api').output()).join('');
  expect(JSON.stringify(await admin.layers(playId)) + logs).not.toContain(token);
});

it('goes on when a partner calls back at the address that the play gave out, and by an event that came before the play', async () => {
  const order = 'o-1';
  const early = await admin.send('POST', '/api/v1/events', { name: 'paid', key: order, payload: 12, ttlMs: 600_000 });
  expect(early.body).toEqual({ matched: 0, kept: true });
  const flowId = await flow('With a partner', [
    {
      ref: 'tell',
      appId: 'web-request',
      args: { url: `${ledger.url}/partner`, method: 'POST', body: { callback: '{{ $play.events.shipped.url }}' } },
    },
    { ref: 'shipped', appId: 'wait-event', args: { name: 'shipped', key: '{{ $play.id }}' } },
    { ref: 'paid', appId: 'wait-event', args: { name: 'paid', key: '{{ $prev.args.order }}' } },
  ]);
  const { playId } = await admin.run(flowId, { args: { order } });
  await waitFor(() => ledger.callsTo('/partner').length > 0, { what: 'the partner to be told' });
  // at once: the play may wait, or not yet
  const { callback } = JSON.parse(ledger.callsTo('/partner')[0]?.body ?? '') as { callback: string };
  const { pathname } = new URL(callback);
  expect((await admin.send('POST', pathname, { parcel: 'P-7' })).status).toBe(202);
  expect((await admin.send('POST', pathname, { parcel: 'P-8' })).status).toBe(410);
  expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE', error: null });
  const outs = Object.fromEntries((await admin.layers(playId)).map(({ ref, out }: PlayLayerView) => [ref, out]));
  expect(outs).toMatchObject({ shipped: { payload: { parcel: 'P-7' } }, paid: { payload: 12 } });
});

it('calls a tool of Weft itself, with a key of another company', async () => {
  const neighbour = await neighbourCompany(fleet);
  const key = { name: 'agent', scope: 'mcp' };
  const { token } = await neighbour.must<{ token: string }>(201, 'POST', '/api/v1/admin/api-keys', key);
  const url = `${admin.url}/mcp`;
  const integrationId = await link({ type: 'mcp', endpoint: url, access_token: token });
  const body = { name: 'The neighbours', key: 'neighbours', integrationId };
  await admin.must(202, 'POST', '/api/v1/mcp-servers', body);
  const path = '/api/v1/mcp-servers/neighbours';
  const state = async () => (await admin.must<{ state: string }>(200, 'GET', path)).state;
  await waitFor(async () => (await state()) === 'ready', { what: 'the tools to be read' });
  const input = { name: 'From outside', layers: [] };
  const id = await flow('Caller', [
    { ref: 'made', appId: 'mcp-tool', args: { server: 'neighbours', tool: 'create_flow', input } },
  ]);
  const { playId } = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/flows/${id}/run`, {});
  expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE', error: null });
  const theirs = await neighbour.must<{ items: { name: string }[] }>(200, 'GET', '/api/v1/flows');
  expect(theirs.items.map(({ name }) => name)).toEqual(['From outside']);
  const [made] = await admin.layers(playId);
  expect(JSON.stringify(made?.out)).not.toContain(token);
});
