// Processes of its own: they log at level debug to a folder that is searched, and send traces to a collector.
import { ApiClient, ledgerServer, scratchFolder, socketClient, waitFor, type ApiAnswer } from '@weft/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CompanyMessage } from '../fixtures/realtime-fixture.js';
import { startFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const collector = await ledgerServer();
afterAll(() => collector.close());

const dataDir = scratchFolder('observing');
const fleet = await startFleet({
  apps: ['api', 'worker', 'realtime', 'scheduler'],
  env: { LOG_LEVEL: 'debug', WEFT_DATA_DIR: dataDir, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
});

const { admin, ledger, one, servers } = fleet;

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** What was collected of a trace: which process, which span, below which. */
function spansOf(traceId: string) {
  const sent = collector.callsTo('/v1/traces').map(({ body }) => JSON.parse(body) as SentTraces);
  const found = sent
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue as string;
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, ...span })));
    })
    .filter((span) => span.traceId === traceId);
  const nameOf = (id?: string) => found.find(({ spanId }) => spanId === id)?.name ?? id;
  return found.map((span) => ({ ...span, below: nameOf(span.parentSpanId) }));
}

type Line = Readonly<Record<string, unknown>>;

function linesOf(app: 'api' | 'worker' | 'realtime' | 'scheduler'): readonly Line[] {
  const lines = one(app).output().split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
}

const flow = await twoLayerFlow(admin, ledger.url);
const run = (flowId: string, headers: Readonly<Record<string, string>>) =>
  admin.send<{ playId: string }>('POST', `/api/v1/flows/${flowId}/run`, { args: { n: 1 } }, headers);

describe('a scheduler', () => {
  it('logs at its start what retention deletes by default', () => {
    const said = linesOf('scheduler').filter(({ component }) => component === 'retention');
    expect(said).toMatchObject([{ level: 'INFO', message: expect.stringContaining('no policy of its own') as string }]);
    expect(said[0]?.defaults).toContain('key-value entries with a ttl after 1d, beyond the newest 100');
  });
});

describe('a run', () => {
  it('is one trace from its caller over API, worker and layers to the peer that it calls', async () => {
    const [traceId, unsampled] = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c'];
    const quiet = await run(flow.id, { traceparent: `00-${unsampled}-00f067aa0ba902b7-00` });
    await admin.waitForPlay(quiet.body.playId);
    const tracestate = 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7';
    const { body, headers } = await run(flow.id, { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate });
    expect((await admin.waitForPlay(body.playId)).state).toBe('DONE');

    const spans = await waitFor(() => spansOf(traceId).length >= 6 && spansOf(traceId), { what: 'the spans' });
    const route = 'POST /api/v1/flows/:id/run';
    expect(spans.map(({ service, name, below }) => [service, name, below]).sort()).toEqual([
      ['weft-api', route, '00f067aa0ba902b7'],
      ['weft-api', 'accept play', route],
      ['weft-worker', 'POST', 'layer web-request'],
      ['weft-worker', 'layer text-template', 'run play'],
      ['weft-worker', 'layer web-request', 'run play'],
      ['weft-worker', 'run play', 'accept play'],
    ]);
    const idOf = (name: string) => spans.find((span) => span.name === name)?.spanId;
    const [first, second] = ledger.callsTo('/ask');
    expect(second?.headers.traceparent).toBe(`00-${traceId}-${idOf('POST')}-01`);
    expect(headers.traceparent).toBe(`00-${traceId}-${idOf(route)}-01`);
    expect([headers.tracestate, second?.headers.tracestate]).toEqual([tracestate, tracestate]);

    // a request that its caller does not trace is not traced anywhere
    expect(quiet.headers.traceparent).toBe(`00-${unsampled}-00f067aa0ba902b7-00`);
    expect(first?.headers).not.toHaveProperty('traceparent');
    expect(spansOf(unsampled)).toEqual([]);
    const played = linesOf('worker').filter((line) => line.play_id === body.playId);
    expect(played).toMatchObject([{ message: 'a play ended', level: 'DEBUG', trace_id: traceId, state: 'DONE' }]);
  });

  it('is in the logs under the id of its request, whoever rings for it later', async () => {
    ledger.answerWith(() => ({ status: 500 }));
    const waiting = await admin.createFlow({ name: 'Waits, then fails' });
    await admin.addLayer(waiting.id, { ref: 'paid', appId: 'wait-event', args: { name: 'paid' } });
    await admin.addLayer(waiting.id, { ref: 'fetch', appId: 'web-request', args: { url: `${ledger.url}/ask` } });
    const { playId } = (await run(waiting.id, { 'x-request-id': 'the-run' })).body;
    await admin.waitForPlay(playId, { state: 'WAIT' });
    const resume = await admin.send(
      'POST',
      `/api/v1/plays/${playId}/resume`,
      { ref: 'paid' },
      { 'x-request-id': 'later' },
    );
    expect(resume.status).toBe(200);
    expect((await admin.waitForPlay(playId)).state).toBe('FAIL');

    const lines = await waitFor(
      () => {
        const found = linesOf('worker').filter((line) => line.play_id === playId);
        return found.length >= 2 && found;
      },
      { what: 'the lines about the play' },
    );
    expect(lines).toMatchObject([
      {
        ...{ level: 'INFO', component: 'layers', message: 'a layer failed', request_id: 'the-run' },
        ...{ ref: 'fetch', app_id: 'web-request', attempt: 1, error: { code: 'bad_status' } },
        duration_ms: expect.any(Number) as number,
      },
      { component: 'worker', message: 'a play ended', request_id: 'the-run', state: 'FAIL' },
    ]);
    const asked = linesOf('api').filter((line) => line.request_id === 'the-run' && line.component === 'http');
    expect(asked).toMatchObject([{ method: 'POST', status: 202, duration_ms: expect.any(Number) as number }]);
  });
});

/** Secrets that only their owner and their use may see; each is in one place only, so that a leak shows where it came from. */
const canary = (place: string) => `canary-${place}-7f3a91`;

/** Everything that goes over Redis while the work runs. ioredis takes a command that comes right after MONITOR for an error. */
async function overRedis(work: () => Promise<void>): Promise<string> {
  const { hostname, port, password } = new URL(servers.redisUrl);
  const socket = connect(Number(port), hostname);
  let seen = '';
  socket.on('data', (bytes) => (seen += bytes.toString()));
  socket.write(`AUTH ${password}\r\nMONITOR\r\n`);
  await waitFor(() => seen.startsWith('+OK\r\n+OK\r\n'), { what: 'what goes over Redis' });
  await work();
  socket.destroy();
  return seen;
}

describe('a secret', () => {
  it('is in no log, no trace, no metric, no refusal and not in Redis, whichever way it came, while a company is watched', async () => {
    const watcher = socketClient<CompanyMessage>(`${one('realtime').url}/api/ws`, { headers: admin.credentials });
    await watcher.opened;
    // the worker learns from this play that somebody listens
    const { playId: first } = await admin.run(flow.id, { args: { n: 1 } });
    await watcher.waitForFrame(({ playId, ref, state }) => playId === first && ref === null && state !== 'RUN');
    const refusals: string[] = [];
    const send = async <T>(client: ApiClient, ...[method, path, body]: Parameters<ApiClient['send']>) => {
      const answer: ApiAnswer<T> = await client.send<T>(method, path, body);
      if (answer.status >= 400) refusals.push(JSON.stringify(answer.body));
      return answer;
    };
    const stranger = new ApiClient(one('api').url);
    const link = async (fields: object) =>
      (await send<{ id: string }>(admin, 'POST', '/api/v1/integrations', { name: 'A link', ...fields })).body.id;
    const tokens: string[] = [];

    const redis = await overRedis(async () => {
      await send(stranger, 'POST', '/api/v1/auth/login', { email: 'admin@weft.test', password: canary('login') });
      await send(stranger, 'POST', '/api/v1/auth/login', { email: 'admin@weft.test', passwort: canary('field') });
      await send(stranger, 'POST', '/api/v1/auth/password/accept', {
        token: canary('invite'),
        password: canary('new'),
      });
      await send(stranger.withKey(canary('bearer')), 'GET', '/api/v1/flows');
      await send(stranger, 'GET', `/api/v1/flows?token=${canary('query')}`);
      await send(admin, 'GET', `/api/v1/flows?token=${canary('unknown-query')}`);
      await send(admin, 'POST', '/api/v1/auth/password', {
        ...{ current_password: canary('current'), new_password: canary('next') },
      });
      const key = await admin.createApiKey();
      tokens.push(key.token, key.token.split('.')[2] ?? '');
      await send(stranger.withKey(`${key.token}x`), 'GET', '/api/v1/flows');
      await send(stranger.withKey(key.token), 'GET', '/api/v1/flows');
      await send(admin, 'POST', '/api/v1/admin/oauth-providers', {
        ...{ name: 'Nobody', issuer: 'https://127.0.0.1:1', client_id: 'weft', client_secret: canary('oauth') },
      });

      const nobody = 'http://127.0.0.1:1';
      const [smtp, chat, model, bearer, placed] = await Promise.all([
        link({ type: 'smtp', endpoint: 'smtp://127.0.0.1:1', access_token: `me@weft.test:${canary('smtp')}` }),
        link({ type: 'slack', access_token: `${nobody}/hooks/${canary('hook')}` }),
        link({ type: 'local-model', endpoint: `${nobody}/v1`, access_token: canary('model') }),
        link({ type: 'web', access_token: canary('link'), refresh_token: canary('refresh') }),
        link({ type: 'web', endpoint: ledger.url, access_token: canary('placed') }),
      ]);
      ledger.answerWith(() => ({
        status: 500,
        body: canary('answer'),
        headers: { 'set-cookie': canary('set-cookie') },
      }));
      const url = ledger.url.replace('//', `//user:${canary('url')}@`);
      const layers = [
        {
          appId: 'web-request',
          args: { url: `${url}/x?key=${canary('url-query')}`, headers: { cookie: canary('cookie') } },
        },
        {
          appId: 'web-request',
          args: { url: `${ledger.url}/x`, headers: { Authorization: `Bearer ${canary('header')}` } },
        },
        { appId: 'web-request', args: { url: `${ledger.url}/x`, auth: { integrationId: bearer } } },
        {
          appId: 'web-request',
          args: {
            url: `${ledger.url}/x`,
            headers: { 'X-Tenant-Key': '{{ $link.access_token }}' },
            query: { key: '7:{{ $link.access_token }}' },
            auth: { integrationId: placed },
          },
        },
        { appId: 'code', args: { source: `console.log("${canary('log')}"); throw new Error("${canary('thrown')}")` } },
        { appId: 'transform', args: { expression: `$error("${canary('jsonata')}")` } },
        { appId: 'text-template', args: { template: `${canary('template')} {{ $prev.args.nothing }}` } },
        { appId: 'text-template', args: { template: canary('out') } },
        { appId: 'kv', args: { op: 'set', key: 'k', value: canary('kv') } },
        { appId: 'email', args: { integrationId: smtp, to: 'you@weft.test', subject: 's', text: canary('mail') } },
        { appId: 'message', args: { integrationId: chat, text: canary('message') } },
        {
          appId: 'ai-chat',
          args: { integrationId: model, model: 'm', messages: [{ role: 'user', content: canary('prompt') }] },
        },
      ];
      const flows = await Promise.all(
        layers.map(async (layer) => {
          const made = await admin.createFlow({ name: 'A flow with secrets' });
          await admin.addLayer(made.id, { ref: 'it', ...layer });
          return made.id;
        }),
      );
      const unreadable = { appId: 'code', args: { source: `return syntax ${canary('syntax')} error` } };
      await send(admin, 'POST', `/api/v1/flows/${flow.id}/layers`, { ref: 'unreadable', ...unreadable });
      const ended = await Promise.all(
        flows.map(async (id) => {
          const { playId } = await admin.run(id, { args: { token: canary('args') } });
          return (await admin.waitForPlay(playId)).state;
        }),
      );
      expect(ended.filter((state) => state === 'FAIL').length).toBeGreaterThan(8);
      await watcher.waitForFrame(({ out }) => JSON.stringify(out)?.includes(canary('out')) === true);
    });
    await watcher.close();
    expect(ledger.calls.filter(({ path }) => path.includes(canary('placed')))).toHaveLength(1);

    const apps = ['api', 'worker', 'realtime', 'scheduler'] as const;
    const pages = await Promise.all(apps.map((app) => new ApiClient(one(app).url).send<string>('GET', '/metrics')));
    const folder = join(dataDir, 'logs');
    const files = readdirSync(folder).filter((file) => file.endsWith('.log'));
    expect(files.map((file) => file.split('-')[1]).sort()).toEqual([...apps].sort());
    await waitFor(() => collector.callsTo('/v1/traces').some(({ body }) => body.includes('ai-chat')), {
      what: 'the spans',
    });
    const places: Record<string, string> = {
      'standard output': apps.map((app) => one(app).output()).join(),
      'log files': files.map((file) => readFileSync(join(folder, file), 'utf8')).join(),
      redis,
      metrics: pages.map(({ body }) => body).join(),
      refusals: refusals.join(),
      traces: collector
        .callsTo('/v1/traces')
        .map(({ body }) => body)
        .join(),
    };
    // each of them has something of this
    for (const place of ['standard output', 'log files']) expect(places[place]).toContain('a layer failed');
    expect(places.metrics).toContain('module="ai-chat"');
    expect(redis.toLowerCase()).toContain('publish');
    expect(refusals.length).toBeGreaterThan(6);
    const found = Object.entries(places).flatMap(([place, text]) => [
      ...[...new Set(text.match(/canary-[\w-]+-7f3a91/g) ?? [])].map((secret) => `${secret} in ${place}`),
      ...tokens.filter((token) => text.includes(token)).map(() => `a key in ${place}`),
    ]);
    expect(found).toEqual([]);
  });
});
