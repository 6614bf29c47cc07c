// Processes of its own: their Redis is killed.
import { ApiClient, waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { connectAgent, useTool } from '../api/mcp-agent.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler', 'realtime'] });
const { admin, ledger, one, redis, plays } = cluster;
const flowId = await effectFlow(admin, ledger.url);
const accepted: string[] = [];

async function runMany(count: number): Promise<string[]> {
  const load = startLoad(count, 10, (n) =>
    admin.send<{ playId: string }>('POST', `/api/flows/${flowId}/run`, { args: { n } }),
  );
  await load.done;
  expect(load.unanswered).toEqual([]);
  expect(new Set(load.answered.map(({ value }) => value.status))).toEqual(new Set([202]));
  const ids = load.answered.map(({ value }) => value.body.playId);
  accepted.push(...ids);
  return ids;
}

it('finishes what it has begun while Redis is away', async () => {
  answerEffects(ledger, { delayMs: () => 1_000 });
  const begun = await runMany(10);
  await waitFor(() => ledger.calls.length >= 10, { what: 'all to be in their first call' });
  await redis.kill();
  await waitFor(async () => (await cluster.open(begun)) === 0, { what: 'the begun plays to end' });
});

it('accepts runs while Redis is away, and says in its health what is missing', async () => {
  const ids = await runMany(40);
  const needsIt = { api: 200, scheduler: 200, worker: 503, realtime: 503 } as const;
  for (const app of ['api', 'scheduler', 'worker', 'realtime'] as const) {
    const health = await waitFor(
      async () => {
        const client = new ApiClient(one(app).url);
        const answer = await client.send<{ status: string; checks: { queue: { status: string } } }>('GET', '/health');
        return answer.body.checks.queue.status === 'unhealthy' && answer;
      },
      { what: `the health of the queue to show at ${app}` },
    );
    const status = needsIt[app];
    expect([app, health.status, health.body.status]).toEqual([app, status, status === 200 ? 'healthy' : 'unhealthy']);
  }
  expect(await plays.countDocuments({ _id: { $in: ids }, state: 'NEW' })).toBe(40);
});

it('accepts runs of agents while Redis is away, and counts them itself', async () => {
  const { token } = await admin.createApiKey({ scope: 'mcp', mcp: { plays_per_minute: 1 } });
  const agent = await connectAgent(one('api').url, token);
  const hungUp = new AbortController();
  const run = { flowId, args: { n: 1_000 } };
  const call = useTool(agent, 'run_flow', run, hungUp.signal).catch(() => 'hung up');
  const play = await waitFor(() => plays.findOne({ flowId, trigger: 'mcp' }), { what: 'the play of the agent' });
  accepted.push(play._id);
  // this client sees what is not acknowledged by a majority yet, the API does not
  await waitFor(async () => (await admin.send('GET', `/api/v1/plays/${play._id}`)).status === 200, {
    what: 'it to be stored',
  });
  expect(await useTool(agent, 'run_flow', run)).toMatchObject({ failed: true, code: 'too_many_plays' });
  expect(await useTool(agent, 'get_play', { playId: play._id })).toMatchObject({ state: 'NEW' });
  hungUp.abort();
  expect(await call).toBe('hung up');
  await agent.close();
});

it('says in its logs once what is missing, in plain words, and not again with every run', () => {
  const said = (app: 'api' | 'worker' | 'scheduler' | 'realtime') =>
    one(app)
      .output()
      .split('\n')
      .filter((line) => /"level":"(WARN|ERROR|FATAL)"/.test(line) && !line.includes('slow MongoDB operation'))
      .map((line) => JSON.parse(line) as { component: string; message: string; part?: string; error?: unknown });
  const aboutRuns = said('api').filter(({ message }) => message.startsWith('runs are accepted and wait'));
  expect(aboutRuns).toMatchObject([{ error: { message: 'Redis is unreachable' } }]);
  for (const app of ['api', 'worker', 'scheduler', 'realtime'] as const) {
    const lines = said(app);
    // a check between the end of the connection and the first attempt to reconnect finds no error, or that of a write under way
    const error = expect.stringMatching(
      /^Redis at 127\.0\.0\.1:\d+: connection (failed \((ECONN\w+|EPIPE)\)|closed)$/,
    ) as string;
    expect(lines.filter(({ part }) => part === 'redis')).toMatchObject([{ error }]);
    const counts = Map.groupBy(lines, ({ component, message }) => `${component}: ${message}`);
    expect([...counts].filter(([, of]) => of.length > 1).map(([message]) => message)).toEqual([]);
    expect(JSON.stringify(lines)).not.toMatch(/enableOfflineQueue|ioredis|"stack"/);
  }
});

it('shows in its metrics what is missing', async () => {
  const isWell = (page: string, part: string) =>
    new RegExp(`^weft_health\\{part="${part}"\\} (\\d)$`, 'm').exec(page)?.[1];
  const read = (app: 'api' | 'worker') => new ApiClient(one(app).url).send<string>('GET', '/metrics');
  const [ofApi, ofWorker] = await Promise.all([read('api'), read('worker')]);
  expect(['process', 'database', 'queue'].map((part) => isWell(ofApi.body, part))).toEqual(['1', '1', '0']);
  expect(['process', 'database', 'queue'].map((part) => isWell(ofWorker.body, part))).toEqual(['0', '1', '0']);
});

it('runs them when Redis is back, each layer once', async () => {
  answerEffects(ledger);
  await redis.start();
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
});
