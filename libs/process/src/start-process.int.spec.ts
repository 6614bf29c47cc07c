import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { loadSettings, type Settings, SETTINGS } from '@weft/config';
import { WeftError, AFTER_REQUESTS, type Drainable } from '@weft/kernel';
import { HealthService } from '@weft/observability';
import { Mongo } from '@weft/store';
import { liveMongo, liveRedis } from '@weft/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { PlayStats } from '@weft/runs';
import { BootError, type ProcessOptions, type RunningProcess } from './process-options.js';
import { startProcess } from './start-process.js';

const mongo = liveMongo();
const redis = liveRedis();
const dataDir = mkdtempSync(join(tmpdir(), 'weft-host-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function settingsWith(env: Record<string, string> = {}): Settings {
  return loadSettings(
    {
      MONGODB_URI: mongo.uri,
      MONGODB_DB: mongo.db,
      REDIS_URL: redis.url,
      QUEUE_PREFIX: redis.prefix,
      SERVER_HOST: '127.0.0.1',
      SERVER_PORT: '0',
      WEFT_DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      ...env,
    },
    { standalone: true },
  );
}

const drained: string[] = [];
/** A request to `/things/held` has arrived; it is answered when the other promise resolves. */
const began = Promise.withResolvers<void>();
const held = Promise.withResolvers<void>();

@Controller('things')
class ThingsController implements Drainable {
  readonly drainOrder = 1;
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(Mongo) private readonly store: Mongo,
    @Inject(HealthService) private readonly health: HealthService,
  ) {}

  @Get()
  async count(): Promise<{ db: string; things: number }> {
    return { db: this.settings.mongodb.db, things: await this.store.collection('things').countDocuments() };
  }

  @Get('held')
  async held(): Promise<{ answered: boolean }> {
    began.resolve();
    await held.promise;
    drained.push('answered');
    return { answered: true };
  }

  @Get(':id')
  read(): never {
    throw new WeftError('not_found', 'No such thing.');
  }

  drain(): Promise<void> {
    drained.push(`controller, ready: ${this.health.isReady}`);
    return Promise.resolve();
  }
}

class LastPart implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;

  drain(): Promise<void> {
    drained.push('after requests');
    return Promise.resolve();
  }
}

class EarlyPart implements Drainable {
  static fails = false;

  drain(): Promise<void> {
    drained.push('early');
    return EarlyPart.fails ? Promise.reject(new Error('one that fails holds nobody up')) : Promise.resolve();
  }
}

@Module({ controllers: [ThingsController], providers: [EarlyPart, LastPart] })
class ThingsModule {}

let running: RunningProcess | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function start(more: Partial<ProcessOptions> = {}): Promise<string> {
  running = await startProcess({
    name: 'worker',
    module: ThingsModule,
    settings: settingsWith(),
    needs: { database: true, queue: false },
    embedded: true,
    logOut: { write: () => true },
    ...more,
  });
  return `http://127.0.0.1:${running.port}`;
}

describe('startProcess', () => {
  it('gives the app its settings and stores, after the boot tasks, in order', async () => {
    const done: string[] = [];
    const base = await start({
      bootTasks: [
        { name: 'make a thing', run: (context) => context.mongo.collection('things').insertOne({ made: true }) },
        {
          name: 'note it',
          run: ({ mongo: opened }) =>
            opened
              .collection('things')
              .countDocuments()
              .then((n) => done.push(`${n}`)),
        },
      ],
      beforeListen: (app) => void done.push(app.getHttpServer().listening ? 'late' : 'before listening'),
    });
    expect(done).toEqual(['1', 'before listening']);
    expect(await (await fetch(`${base}/things`)).json()).toEqual({ db: mongo.db, things: 1 });
  });

  it('is healthy at its first answer, under both paths, in the shape of the contract', async () => {
    const base = await start();
    for (const path of ['/health', '/api/health', '/health/ready', '/health/live']) {
      expect((await fetch(base + path)).status, path).toBe(200);
    }
    const report: unknown = await (await fetch(`${base}/health`)).json();
    expect(report).toMatchObject({
      status: 'healthy',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      checks: {
        database: { status: 'healthy', latency_ms: expect.any(Number) as number },
        config: { status: 'ok' },
        components: { status: 'ok', ai: 'ready', storage: 'ready' },
        queue: { status: 'healthy', latency_ms: expect.any(Number) as number },
      },
    });
  });

  it.each([
    [true, 503],
    [false, 200],
  ])('without Redis and needing it (%s) answers %i', async (queue, status) => {
    const base = await start({
      needs: { database: true, queue },
      settings: settingsWith({ REDIS_URL: 'redis://127.0.0.1:1' }),
    });
    const answer = await fetch(`${base}/health`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({
      checks: {
        queue: { status: 'unhealthy', error: 'Redis at 127.0.0.1:1: connection failed (ECONNREFUSED)' },
        database: { status: 'healthy' },
      },
    });
    const outside = await fetch(`${base}/health`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(outside.status).toBe(status);
    const told = await outside.text();
    expect(told).toContain('unhealthy');
    expect(told).not.toMatch(/error|127\.0\.0\.1/);
    const page = await (await fetch(`${base}/metrics`)).text();
    expect(page).toContain(`weft_health{part="process"} ${queue ? 0 : 1}\n`);
    expect(page).toContain('weft_health{part="database"} 1\n');
    expect(page).toContain('weft_health{part="queue"} 0\n');
  });

  it('shows in its metrics what was built, as /health does', async () => {
    const base = await start();
    const { version } = (await (await fetch(`${base}/health`)).json()) as { version: string };
    const outside = await fetch(`${base}/health`, { headers: { via: '1.1 proxy' } });
    expect(await outside.json()).toMatchObject({ version: version.split('+')[0] });
    const page = await (await fetch(`${base}/metrics`)).text();
    expect(page).toContain(`weft_build_info{version="${version}"} 1\n`);
    expect(page).toContain('weft_health{part="process"} 1\n');
  });

  it('repeats a request id that is fit to be repeated, and makes one otherwise', async () => {
    const base = await start();
    const idFor = async (given?: string): Promise<string | null> =>
      (await fetch(`${base}/things`, given === undefined ? {} : { headers: { 'x-request-id': given } })).headers.get(
        'x-request-id',
      );
    expect(await idFor('trace-1')).toBe('trace-1');
    expect(await idFor('x'.repeat(128))).toBe('x'.repeat(128));
    for (const unfit of ['x'.repeat(129), 'two words', undefined])
      expect(await idFor(unfit)).toMatch(/^[0-9a-f]{12}-\w+$/);
    expect(await idFor()).not.toBe(await idFor());
  });

  it('repeats a trace context that is one, where nothing is traced', async () => {
    const base = await start();
    const repeated = async (traceparent: string, tracestate: string) => {
      const { headers } = await fetch(`${base}/things`, { headers: { traceparent, tracestate } });
      return [headers.get('traceparent'), headers.get('tracestate')];
    };
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(await repeated(trace, 'rojo=1,congo=2')).toEqual([trace, 'rojo=1,congo=2']);
    expect(await repeated(trace, 'rubbish')).toEqual([trace, null]);
    expect(await repeated(trace.toUpperCase(), 'rojo=1')).toEqual([null, null]);
  });

  it('answers everything with nosniff and no-store, and a refusal as a problem', async () => {
    const base = await start();
    for (const path of ['/things', '/things/1', '/nowhere', '/health', '/%zz', '/THINGS', '/things/', '//things']) {
      const { status, headers } = await fetch(base + path);
      expect([path, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([
        path,
        'nosniff',
        'no-store',
      ]);
      if (status >= 400)
        expect([path, status, headers.get('content-type')]).toEqual([
          path,
          404,
          'application/problem+json; charset=utf-8',
        ]);
    }
    expect(await (await fetch(`${base}/things/1`)).json()).toMatchObject({ code: 'not_found', instance: '/things/1' });
  });

  it('shows its metrics to this machine, and through a proxy to nobody', async () => {
    const base = await start();
    await fetch(`${base}/things`);
    const page = await (await fetch(`${base}/metrics`)).text();
    expect(page).toContain('weft_http_requests_total{method="GET",path="/things",status="200"} 1');
    expect(page).toMatch(/weft_mongodb_operations_total\{collection="things",operation="aggregate"\} [1-9]/);
    expect(page).toMatch(/weft_mongodb_connections_open [1-9]/);

    for (const name of ['x-forwarded-for', 'x-real-ip', 'via', 'cf-connecting-ip']) {
      expect([name, (await fetch(`${base}/metrics`, { headers: { [name]: '203.0.113.9' } })).status]).toEqual([
        name,
        403,
      ]);
    }
    expect(await statusWithHost(base, '/metrics', 'evil.example')).toBe(403);
    expect(await statusWithHost(base, '/metrics', new URL(base).host)).toBe(200);
  });

  it('shows its metrics with the token to all who have it, and without to this machine', async () => {
    const base = await start({ settings: settingsWith({ METRICS_TOKEN: 'a-token-of-some-length' }) });
    const asking = (headers: Record<string, string>) => fetch(`${base}/metrics`, { headers });
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    expect((await asking({})).status).toBe(200);
    expect((await asking(forwarded)).status).toBe(401);
    expect((await asking({ ...forwarded, authorization: 'Bearer a-token-of-some-lengtH' })).status).toBe(401);
    expect((await asking({ ...forwarded, authorization: 'Bearer a-token-of-some-length' })).status).toBe(200);
    expect(await statusWithHost(base, '/health', 'evil.example')).toBe(200);
  });

  it('drains in order with readiness gone, whoever fails, and then closes', async () => {
    drained.length = 0;
    EarlyPart.fails = true;
    const base = await start();
    const first = running?.stop();
    expect(running?.stop()).toBe(first);
    await first;
    EarlyPart.fails = false;
    expect(drained).toEqual(['early', 'controller, ready: false', 'after requests']);
    await expect(fetch(`${base}/health`)).rejects.toThrow();
  });

  it('stores the last figures of its plays when it stops', async () => {
    await start();
    const company_id = randomUUID();
    running?.app.get(PlayStats).ended({ company_id, flowId: 'f' }, 'DONE', new Date());
    await running?.stop();
    const opened = await Mongo.open({ uri: mongo.uri, db: mongo.db, appName: 'spec' });
    // stored with w: 1, so a majority read may not see them yet
    const found = await opened
      .collection<{ by: object }>('flow_figures')
      .find({ company_id, flowId: 'f' }, { readConcern: 'local' })
      .toArray();
    await opened.close();
    expect(found.flatMap(({ by }): unknown[] => Object.values(by))).toEqual([
      expect.objectContaining({ done: 1 }),
      expect.objectContaining({ done: 1 }),
    ]);
  });

  it('answers what is under way before its parts end, and waits for no connection that a client would keep', async () => {
    drained.length = 0;
    const base = await start({ name: 'api' });
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<string>((resolve, reject) => {
      request(`${base}/things/held`, { agent }, (response) => {
        buffer(response).then((bytes) => resolve(bytes.toString()), reject);
      })
        .on('error', reject)
        .end();
    });
    await began.promise;
    const stopped = running?.stop();
    await expect.poll(() => drained).toContain('controller, ready: false');
    held.resolve();
    expect(await answer).toBe('{"answered":true}');
    await stopped;
    expect(drained.slice(2)).toEqual(['answered', 'after requests']);
    agent.destroy();
  });

  it('goes on serving where its readiness is asked for, until that can be noticed, and tells to connect elsewhere', async () => {
    drained.length = 0;
    const base = await start({ name: 'api', settings: settingsWith({ SHUTDOWN_NOTICE_SECONDS: '1' }) });
    expect((await fetch(`${base}/health/ready`)).status).toBe(200);
    const stopped = running?.stop();
    const asked = async (path: string) => (await fetch(base + path)).status;
    expect([await asked('/health/ready'), await asked('/health'), await asked('/health/live')]).toEqual([
      503, 200, 200,
    ]);
    const served = await fetch(`${base}/things`);
    expect([served.status, served.headers.get('connection'), drained]).toEqual([200, 'close', []]);
    await stopped;
    expect(drained).toContain('after requests');
  });

  it('says in one sentence that the port is taken', async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port));
    });
    const failed = start({ settings: settingsWith({ SERVER_PORT: String(port) }) });
    await expect(failed).rejects.toThrow(
      new BootError(`Port ${port} is taken by another program. Stop it, or set SERVER_PORT to a free port.`),
    );
    blocker.close();
  });

  it('does not start when a boot task fails', async () => {
    const failed = start({
      bootTasks: [{ name: 'make the indexes', run: () => Promise.reject(new Error('duplicates')) }],
    });
    await expect(failed).rejects.toThrow(new BootError('Could not make the indexes: duplicates'));
  });

  it('does not wait for a MongoDB that refuses the credentials', async () => {
    const uri = mongo.uri.replace(/:\/\/([^@/]*@)?/, '://nobody:wrong@');
    const failed = start({ settings: settingsWith({ MONGODB_URI: uri }) });
    await expect(failed).rejects.toThrow(/^MongoDB refused the connection .* Correct MONGODB_URI\.$/);
  });
});

/** `fetch` sets the host by itself. */
async function statusWithHost(base: string, path: string, host: string): Promise<number | undefined> {
  const asked = request(base + path, { headers: { host }, agent: new Agent() }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
