// Processes of its own: their servers are frozen.
import { ApiClient, socketClient, waitFor, type AppName, type LocalServer } from '@weft/testing';
import { Agent } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { identityProvider } from '../fixtures/identity-provider.js';
import { ioClient } from '../fixtures/io-client.js';
import { People } from '../fixtures/people.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { CLIENT_DEADLINE_MS, everyRoute } from './harness/every-route.js';

const APPS = ['api', 'worker', 'scheduler', 'realtime'] as const;
const cluster = await startCluster({ apps: APPS });
const { admin, ledger, mongod, redis, one } = cluster;
const idp = await identityProvider({ redirectUris: ['http://localhost/auth/callback'] });
afterAll(() => idp.close());
answerEffects(ledger, {});

/** Routes that access no store: the description of the API, requests that are refused by their content, settings in memory. */
const NEEDS_NO_STORE = [
  /^GET \/$/,
  /^GET \/(api\/)?health/,
  /^GET \/metrics$/,
  /^GET \/api\/(openapi\.json|docs.*)$/,
  /^GET \/(approve|assets\/:file)$/,
  /\/(approval-links\/(read|decide)|hooks\/plays\/:token)$/, // a link with an invalid signature
  /^GET \/oauth\/client\.json$/,
  /^GET .*\/admin\/config$/,
  /^GET .*\/modules/,
  /^GET .*\/scheduler\/preview$/,
  /^GET \/\.well-known\/oauth-protected-resource\/mcp$/,
  /^POST \/mcp$/, // a message that names no tool of a flow
];
const MANY = 500;
const MB = 1024 * 1024;

/** Every process at its own address, and each kind of socket, as readable answers. */
async function besides(playId: string): Promise<readonly (readonly [what: string, answered: string | null])[]> {
  const agent = new Agent({ connections: 8, headersTimeout: CLIENT_DEADLINE_MS });
  const pages = APPS.flatMap((app) =>
    ['/', '/health', '/health/live', '/metrics'].map(async (path) => {
      const answer = await new ApiClient(one(app).url, null, agent).send('GET', path).catch(() => null);
      return [`${app} ${path}`, answer && String(answer.status)] as const;
    }),
  );
  const headers = admin.credentials;
  const raw = [`/ws/plays/${playId}`, '/api/ws'].map(async (path) => {
    const socket = socketClient(`${one('realtime').url}${path}`, { headers });
    const opened = socket.opened.then(
      () => 'opened',
      () => String(socket.refusedWith()),
    );
    const answered = await withinDeadline(opened);
    socket.terminate();
    return [path, answered] as const;
  });
  const io = ioClient(one('realtime').url, { headers });
  const connected = Promise.race([io.opened.then(() => 'opened'), io.refused.then(() => 'refused')]);
  const told = withinDeadline(connected).then((answered) => ['socket.io', answered] as const);
  return Promise.all([...pages, ...raw, told.finally(() => io.close())]);
}

/** Null when the client gave up before. */
async function withinDeadline(answered: Promise<string>): Promise<string | null> {
  let told: string | null = null;
  void answered.then((answer) => (told = answer));
  return waitFor(() => told, { what: 'an answer', withinMs: CLIENT_DEADLINE_MS }).catch(() => null);
}

/** Requests every route while this server is frozen. */
async function askWhileFrozen(server: LocalServer) {
  const flowId = await effectFlow(admin, ledger.url);
  const { playId } = await admin.run(flowId, { args: { n: 0 } });
  await admin.waitForPlay(playId);
  const routes = await everyRoute(cluster, { flowId, playId, idp });
  await server.kill('SIGSTOP');
  const [told, others] = await Promise.all([
    Promise.all(routes.map(async ({ route, send }) => ({ route, answer: await send() }))),
    besides(playId),
  ]);
  return {
    told,
    silent: [
      ...told.filter(({ answer }) => answer === null).map(({ route }) => route),
      ...others.filter(([, answered]) => answered === null).map(([what]) => what),
    ],
    others: new Map(others),
    /** Neither a retryable error nor an answer. */
    odd: told.flatMap(({ route, answer }) => {
      if (answer === null || answer.status < 500) return [];
      const isTold = answer.status === 503 && answer.body.code === 'store_unavailable';
      return isTold && answer.headers['retry-after'] !== undefined ? [] : [`${route}: ${answer.status}`];
    }),
  };
}

/** A run is accepted and ends; every process is healthy. */
async function allIsWell(): Promise<void> {
  for (const app of APPS) {
    const client = new ApiClient(one(app).url);
    const isHealthy = async () => (await client.send('GET', '/health')).status === 200;
    await waitFor(isHealthy, { what: `${app} to be healthy`, withinMs: 60_000 });
  }
  // the requested routes have signed the admin out, among other things
  const cookie = await People.in(cluster.servers, async (people) =>
    people.signedIn(await people.company('Another'), 'admin'),
  );
  const another = new ApiClient(admin.url, { cookie });
  const flowId = await effectFlow(another, ledger.url);
  const { playId } = await another.run(flowId, { args: { n: 1 } });
  expect(await another.waitForPlay(playId, { withinMs: 60_000 })).toMatchObject({ state: 'DONE' });
}

async function memoryOf(app: AppName): Promise<number> {
  const { body } = await new ApiClient(one(app).url).send<string>('GET', '/metrics');
  return Number(/^weft_process_memory_bytes (\S+)$/m.exec(body)?.[1]);
}

describe('while MongoDB is frozen', () => {
  it('every route is answered: 503, to be tried again, wherever it needs the store', async () => {
    const { told, silent, odd, others } = await askWhileFrozen(mongod);
    expect([silent, odd]).toEqual([[], []]);
    const without = told.filter(({ answer }) => answer?.status !== 503);
    const wrong = without.filter(({ route }) => !NEEDS_NO_STORE.some((kind) => kind.test(route)));
    expect(wrong.map(({ route, answer }) => `${route}: ${answer?.status}`)).toEqual([]);
    expect(told.length - without.length).toBeGreaterThan(200);
    for (const app of APPS) {
      expect([app, others.get(`${app} /health/live`), others.get(`${app} /metrics`)]).toEqual([app, '200', '200']);
    }
    expect(others.get('/api/ws')).toBe('503');
  });

  it('many requests with large bodies at once take no memory away, and no probe waits behind them', async () => {
    const before = await memoryOf('api');
    const agent = new Agent({ connections: MANY, headersTimeout: CLIENT_DEADLINE_MS });
    const client = new ApiClient(admin.url, admin.credentials as { cookie: string }, agent);
    const body = { name: 'large', description: 'x'.repeat(10_000), settings: {} };
    let waiting = MANY;
    const answers = Promise.all(
      Array.from({ length: MANY }, async () => {
        const { status } = await client.send('POST', '/api/v1/flows', body).catch(() => ({ status: 0 }));
        waiting -= 1;
        return status;
      }),
    );
    const probes = new Map<string, number>();
    do {
      for (const path of ['/health/live', '/health', '/metrics']) {
        const probe = new ApiClient(admin.url, null, new Agent({ headersTimeout: CLIENT_DEADLINE_MS / 4 }));
        const { status } = await probe.send('GET', path).catch(() => ({ status: 0 }));
        await probe.close();
        probes.set(`${path} ${status}`, (probes.get(`${path} ${status}`) ?? 0) + 1);
      }
    } while (waiting > 0);
    expect(new Set(await answers)).toEqual(new Set([503]));
    expect([...probes.keys()].sort()).toEqual(['/health 503', '/health/live 200', '/metrics 200']);
    expect((await memoryOf('api')) - before).toBeLessThan(200 * MB);
  });

  it('the figures that need no store are told, and that it is missing', async () => {
    for (const app of APPS) {
      const { body } = await new ApiClient(one(app).url).send<string>('GET', '/metrics');
      expect(body).toMatch(/^weft_health\{part="database"\} 0$/m);
      expect(body).toMatch(/^weft_process_memory_bytes \d/m);
    }
  });

  it('nothing of that lasts when it goes on', async () => {
    await mongod.kill('SIGCONT');
    await allIsWell();
  });
});

describe('while Redis is frozen', () => {
  it('every route is answered', async () => {
    const { told, silent, odd, others } = await askWhileFrozen(redis);
    expect([silent, odd]).toEqual([[], []]);
    const refused = told.filter(({ answer }) => answer?.status === 503).map(({ route }) => route);
    expect(refused.filter((route) => !/\/(admin\/queue|layers\/try)$/.test(route))).toEqual([]);
    for (const app of APPS) {
      expect([app, others.get(`${app} /health/live`), others.get(`${app} /metrics`)]).toEqual([app, '200', '200']);
    }
  });

  it('nothing of that lasts when it goes on', async () => {
    await redis.kill('SIGCONT');
    await allIsWell();
  });
});

afterAll(async () => {
  await mongod.kill('SIGCONT');
  await redis.kill('SIGCONT');
});
