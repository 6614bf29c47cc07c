// Processes of its own: workers and stores are killed and frozen under agents.
import { chainOf, outOf, type Play } from '@weft/engine';
import { modelProvider, waitFor, type AppName } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, faultsInTurn } from './harness/campaign-length.js';
import { startCluster } from './harness/cluster.js';
import { insistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { playFaults } from './harness/play-faults.js';
import { historyFaults, playHistory } from './harness/play-history.js';

const PER_SECOND = 3;
/** Answers of the model that ask for calls, and calls of each. */
const TURNS = 4;
const CALLS = 2;
/** Requests to the model between two faults: plays are in the midst of their steps. */
const REQUESTS_BETWEEN = 40;
const RETRY = { attempts: 8, backoff: 'fixed', delayMs: 200, maxDelayMs: 1_000 };

/** Redis forgets everything when it is killed. */
const cluster = await startCluster({
  apps: ['api', 'worker', 'worker', 'scheduler'],
  persistentRedis: false,
  env: { WORKER_SLOTS: '8', RUN_WINDOW: '24' },
  shortTimes: true,
});
const { admin, ledger, redis, mongod, add, of, plays } = cluster;
const provider = await modelProvider();
afterAll(() => provider.close());

const running = (app: AppName) => of(app).filter((process) => process.isRunning());

async function requests(count: number): Promise<void> {
  const until = provider.requests.length + count;
  await waitFor(() => provider.requests.length >= until, { what: 'requests', withinMs: 20_000 }).catch(() => undefined);
}

/** Another one takes its place, at its address. */
async function kill(app: AppName): Promise<void> {
  const killed = running(app).at(-1);
  await killed?.kill();
  await add(app, { port: killed?.port });
}

const STRIKES: Readonly<Record<string, () => Promise<void>>> = {
  'a worker is killed': () => kill('worker'),
  'a worker is frozen': async () => {
    const frozen = running('worker').at(-1);
    await frozen?.kill('SIGSTOP');
    await requests(REQUESTS_BETWEEN);
    await frozen?.kill('SIGCONT');
  },
  'Redis is killed, and has forgotten everything': async () => {
    await redis.kill();
    await redis.start();
  },
  'MongoDB is killed': async () => {
    await mongod.kill();
    await mongod.start();
  },
  'both workers are killed': async () => {
    await Promise.all(running('worker').map((worker) => worker.kill()));
    await Promise.all([add('worker'), add('worker')]);
  },
};

async function agentFlow(): Promise<{ readonly flowId: string; readonly taskId: string }> {
  const body = { n: '{{ $prev.args.n }}', i: '{{ $prev.args.i }}' };
  const args = { url: `${ledger.url}/task`, method: 'POST', body };
  const task = await admin.createFlow({ layers: [{ ref: 'call', appId: 'web-request', args, retry: RETRY }] });
  const link = { type: 'openai', name: 'Model', endpoint: provider.url, access_token: 'key' };
  const { id: integrationId } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', link);
  const tools = [{ kind: 'flow', flowId: task.id, name: 'task', parallel: true }];
  const of = { integrationId, model: 'm', instructions: 'Open tasks.', input: '{{ "" & $prev.args.n }}', tools };
  const flow = await admin.createFlow({ layers: [{ ref: 'agent', appId: 'agent', args: of, retry: RETRY }] });
  return { flowId: flow.id, taskId: task.id };
}

/** What a play of an agent has otherwise than its model says. */
function outputFaults({ _id, layers }: Play): string[] {
  const out =
    layers[0] &&
    (outOf(layers[0]) as { readonly text: string; readonly steps: readonly { kind: string; ok: boolean }[] });
  const kinds = out?.steps.map(({ kind }) => kind).join(' ');
  const wanted = [
    ...Array.from({ length: TURNS }, () => ['model', ...Array.from({ length: CALLS }, () => 'child')]),
    'model',
  ];
  const isRight = out?.text === 'Done.' && kinds === wanted.flat().join(' ') && out.steps.every(({ ok }) => ok);
  return isRight ? [] : [`${_id} gave ${JSON.stringify(out)}`];
}

it(
  'makes no finished step again, and has the effects of its tools once, when workers and stores are killed and frozen',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    const { flowId, taskId } = await agentFlow();
    provider.answerWith(({ input, turn }) => {
      if (turn === TURNS) return { text: 'Done.', everyMs: 10 };
      const calls = Array.from({ length: CALLS }, (_, i) => ({
        name: 'task',
        arguments: { n: Number(input), i: turn * CALLS + i },
      }));
      return { calls, everyMs: 10 };
    });
    const clients = of('api').map(({ url }) => admin.at(url));
    const load = insistentLoad({ perSecond: PER_SECOND, clients, run: (n) => ({ flowId, body: { args: { n } } }) });
    const struck: string[] = [];
    for (const fault of faultsInTurn(Object.keys(STRIKES), Object.keys(STRIKES))) {
      await requests(REQUESTS_BETWEEN);
      await STRIKES[fault]?.();
      struck.push(fault);
    }
    await load.stop();
    const open = () => plays.findOne({ completedAt: { $exists: false } }, { projection: { _id: 1 } });
    await waitFor(async () => (await open()) === null, { what: 'all plays to end', withinMs: 120_000 });

    const all = await plays.find().toArray();
    const parents = all.filter((play) => play.flowId === flowId);
    const children = all.filter((play) => play.flowId === taskId);
    const asked = Map.groupBy(provider.requests, ({ input }) => Number(input));
    const repeated = provider.requests.length - parents.length * (TURNS + 1);
    await annotate(
      `${parents.length} plays, ${children.length} children, ${repeated} requests repeated; ${struck.join(', ')}`,
    );
    expect(
      all.filter(({ state }) => state !== 'DONE').map(({ _id, state, error }) => `${_id} ${state} ${error?.code}`),
    ).toEqual([]);
    expect([...load.accepted.values()].sort()).toEqual(parents.map(({ _id }) => _id).sort());
    expect(parents.flatMap(outputFaults)).toEqual([]);
    // each task is a play of its own, and its call has one key
    const tasks = children.map(({ args }) => `${String(args.n)} ${String(args.i)}`);
    expect(new Set(tasks).size).toBe(tasks.length);
    expect(tasks).toHaveLength(parents.length * TURNS * CALLS);
    const keys = Map.groupBy(ledger.calls, ({ body }) => JSON.stringify(body));
    for (const calls of keys.values())
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    for (const [n, of] of asked) {
      const turns = of.map(({ turn }) => turn);
      // the answer to each was stored before the next one was asked
      expect(turns, `play ${n}`).toEqual([...turns].sort((one, other) => one - other));
      expect(turns.length - new Set(turns).size, `play ${n}`).toBeLessThanOrEqual(struck.length);
    }
    expect([
      ...keyFaults(parents, load.accepted),
      ...all.flatMap((play) => playFaults(play)),
      ...historyFaults(await playHistory(plays, cluster.since)),
    ]).toEqual([]);
    // the faults met plays in the midst of them
    expect(parents.filter((play) => chainOf(play).nth === 0 && play.epoch > 1).length).toBeGreaterThan(0);
  },
);
