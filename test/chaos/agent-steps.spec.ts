// Processes of its own: workers, the API and stores are killed and frozen under agents.
import { chainOf } from '@weft/engine';
import { modelProvider, privateMongod, privateRedis, waitFor, type AppName, type ModelRequest } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { agentFlows, answerOf, callsOf, outputFaults, requestsOf, shapeOf } from './harness/agent-flows.js';
import { approver } from './harness/approver.js';
import { CAMPAIGN_TIMEOUT_MS, faultsInTurn, IS_WHOLE, MINUTES } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { insistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { playFaults } from './harness/play-faults.js';
import { historyFaults, playHistory } from './harness/play-history.js';
import { startReplicaSet } from './harness/replica-set.js';

const PER_SECOND = MINUTES > 0 ? 2 : 1;
/** Requests to the model between two faults: plays are in the midst of their steps. */
const REQUESTS_BETWEEN = (IS_WHOLE ? 20 : 8) * PER_SECOND;

/** In a whole campaign it has three members, one of which takes the place of another; else one, which comes back. */
const mongo: StruckMongo = IS_WHOLE ? await startReplicaSet() : await oneMember();

interface StruckMongo {
  readonly uri: string;
  primary(): Promise<{ kill(signal: NodeJS.Signals): unknown }>;
  replacePrimary(): Promise<void>;
}

async function oneMember(): Promise<StruckMongo> {
  const server = await privateMongod();
  const replacePrimary = async (): Promise<void> => {
    await server.kill();
    await server.start();
  };
  return { uri: server.uri, primary: async () => server, replacePrimary };
}

/** It forgets everything when it is killed. */
const redis = await privateRedis({ persistent: false });
const cluster = await watchedFleet(
  { mongodbUri: mongo.uri, redisUrl: redis.uri },
  {
    apps: ['api', 'worker', 'scheduler'],
    env: { WORKER_SLOTS: '8', RUN_WINDOW: '24' },
    shortTimes: true,
  },
);
const { admin, ledger, add, of, plays } = cluster;
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

async function freeze(frozen: { kill(signal: NodeJS.Signals): unknown } | undefined): Promise<void> {
  await frozen?.kill('SIGSTOP');
  await requests(REQUESTS_BETWEEN);
  await frozen?.kill('SIGCONT');
}

async function killWorkers(): Promise<void> {
  const killed = running('worker');
  await Promise.all(killed.map((worker) => worker.kill()));
  await Promise.all(killed.map(() => add('worker')));
}

const ONCE: Readonly<Record<string, () => Promise<void>>> = {
  // of a day, the first test does it, and the last fault kills both
  ...(IS_WHOLE && { 'a worker is killed': () => kill('worker') }),
  'a worker is frozen': () => freeze(running('worker').at(-1)),
  'Redis is killed, and has forgotten everything': async () => {
    await redis.kill();
    await redis.start();
  },
  "MongoDB's primary is killed": () => mongo.replacePrimary(),
  'both workers are killed': killWorkers,
};
const STRIKES: typeof ONCE = {
  ...ONCE,
  'an API is killed': () => kill('api'),
  'an API is frozen': () => freeze(running('api').at(-1)),
  'the scheduler is killed': () => kill('scheduler'),
  'Redis is frozen': () => freeze(redis),
  "MongoDB's primary is frozen": async () => freeze(await mongo.primary()),
};

interface Struck {
  readonly fault: string;
  readonly from: number;
  readonly to: number;
}

/**
 * What was asked of models: no turn after a later one, since the answer to each was stored before the next one was asked; and at most
 * one request twice for each fault that the play lived through.
 */
function requestFaults(n: number, made: readonly ModelRequest[], faults: number): string[] {
  const turns = made.map(({ turn }) => turn);
  const wanted = Array.from({ length: requestsOf(n) }, (_, turn) => turn);
  const isInOrder = turns.every((turn, i) => i === 0 || turn >= (turns[i - 1] ?? 0));
  const repeated = turns.length - wanted.length;
  const isRight = isInOrder && wanted.every((turn) => turns.includes(turn)) && repeated <= faults;
  return isRight ? [] : [`${shapeOf(n).kind} ${n}: turns ${turns.join(' ')} after ${faults} faults`];
}

/** As long as one after another does: agents make children meanwhile, so that for a time more are open than before. */
async function allEnded(): Promise<void> {
  const open = () => plays.find({ completedAt: { $exists: false } }, { projection: { state: 1, waits: 1 } }).toArray();
  const ended = () => plays.countDocuments({ completedAt: { $exists: true } });
  for (let left = await open(); left.length > 0; left = await open()) {
    const before = await ended();
    const what = `one of these to end: ${JSON.stringify(left)}`;
    await waitFor(async () => (await ended()) > before, { what, withinMs: 60_000 });
  }
}

/** The calls of agents in the audit log: play and tool of each. */
async function auditedCalls(): Promise<string[]> {
  const path = '/api/v1/audit/export?format=json&action=agent_tool_called';
  const entries = await admin.must<readonly AuditedCall[]>(200, 'GET', path);
  return entries.map(({ resource_id, changes }) => `${resource_id} ${changes.tool.after}`);
}

interface AuditedCall {
  readonly resource_id: string;
  readonly changes: { readonly tool: { readonly after: string } };
}

/** An operation that nothing answers, as an agent's tool whose interrupted calls are not made again. */
async function payingAgent(): Promise<string> {
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Till', version: '1' }, servers: [{ url: ledger.url }] },
    paths: { '/pay': { post: { operationId: 'pay', responses: { 200: { description: 'Paid.' } } } } },
  };
  const body = { name: 'Till', key: 'till', source: { document: JSON.stringify(document) } };
  const { id } = await admin.must<{ id: string }>(202, 'POST', '/api/v1/apis', body);
  const isReady = async () => (await admin.must<{ state: string }>(200, 'GET', `/api/v1/apis/${id}`)).state === 'ready';
  await waitFor(isReady, { what: 'the API to be imported' });
  const link = { type: 'openai', name: 'Model', endpoint: provider.url, access_token: 'key-of-the-model' };
  const { id: integrationId } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', link);
  const tools = [{ kind: 'operation', api: 'till', operation: 'pay', name: 'pay', onInterrupted: 'fail' }];
  const args = { integrationId, model: 'm', instructions: 'Pay.', input: 'Pay once.', tools };
  return (await admin.createFlow({ layers: [{ ref: 'agent', appId: 'agent', args }] })).id;
}

it('makes no call again that says so when its worker is killed during it, and a retry makes it', async () => {
  const flowId = await payingAgent();
  const paid = () => ledger.callsTo('/pay');
  provider.answerWith([{ calls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }]);
  ledger.answerWith(() => new Promise(() => undefined));
  const { playId } = await admin.run(flowId, {});
  await waitFor(() => paid().length === 1, { what: 'the call' });
  await killWorkers();
  const failed = await admin.waitForPlay(playId);
  expect(failed).toMatchObject({ state: 'FAIL', error: { code: 'interrupted', ref: 'agent' } });
  expect([paid().length, provider.requests.length]).toEqual([1, 1]);
  ledger.answerWith(() => ({ body: {} }));
  const { playId: again } = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/plays/${playId}/retry`);
  expect(await admin.waitForPlay(again)).toMatchObject({ state: 'DONE' });
  expect(new Set(paid().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect([paid().length, provider.requests.length]).toEqual([2, 2]);
  const path = `/api/v1/audit?action=agent_tool_called&resource_id=${playId}`;
  expect(await admin.must<object>(200, 'GET', path)).toMatchObject({
    items: [{ changes: { tool: { after: 'pay' } } }],
  });
});

it(
  'makes no finished step again, and has the effects of its tools once, when workers and stores are killed and frozen',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    await Promise.all([add('worker'), ...(IS_WHOLE ? [add('api')] : [])]);
    const { ids, taskId } = await agentFlows(admin, ledger.url, provider.url);
    const [askedBefore, calledBefore] = [provider.requests.length, ledger.calls.length];
    provider.answerWith(answerOf);
    const clients = of('api').map(({ url }) => admin.at(url));
    const run = (n: number) => ({ flowId: ids[shapeOf(n).kind], body: { args: { n } } });
    const load = insistentLoad({ perSecond: PER_SECOND, clients, run });
    const person = approver(admin);
    const struck: Struck[] = [];
    for (const fault of faultsInTurn(Object.keys(ONCE), Object.keys(STRIKES))) {
      await requests(REQUESTS_BETWEEN);
      const from = Date.now();
      await STRIKES[fault]?.();
      struck.push({ fault, from, to: Date.now() });
    }
    await load.stop();
    await allEnded();
    await person.stop();

    const all = await plays.find({ flowId: { $in: [...Object.values(ids), taskId] } }).toArray();
    const parents = all.filter(({ flowId }) => flowId !== taskId);
    const children = all.filter(({ flowId }) => flowId === taskId);
    const made = provider.requests.slice(askedBefore);
    const wanted = parents.reduce((sum, { args }) => sum + requestsOf(Number(args.n)), 0);
    await annotate(
      `${parents.length} plays, ${children.length} children, ${person.decided()} approvals, ` +
        `${made.length - wanted} of ${wanted} requests repeated, ${struck.length} faults: ` +
        struck.map(({ fault }) => fault).join(', '),
    );
    expect(
      all.filter(({ state }) => state !== 'DONE').map(({ _id, state, error }) => `${_id} ${state} ${error?.code}`),
    ).toEqual([]);
    expect([...load.accepted.values()].sort()).toEqual(parents.map(({ _id }) => _id).sort());
    expect(parents.flatMap(outputFaults)).toEqual([]);
    // each task is a play of its own, none is beyond a limit, and its call has one key
    const tasks = children.map(({ args }) => `${String(args.n)} ${String(args.i)}`);
    expect(new Set(tasks).size).toBe(tasks.length);
    expect(tasks).toHaveLength(parents.reduce((sum, { args }) => sum + callsOf(Number(args.n)), 0));
    // and is in the audit log, once
    const called = children.map(({ parentPlayId }) => `${parentPlayId} task`);
    expect((await auditedCalls()).filter((call) => call.endsWith(' task')).sort()).toEqual(called.sort());
    const keys = Map.groupBy(ledger.calls.slice(calledBefore), ({ body }) => JSON.stringify(body));
    for (const calls of keys.values())
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const asked = Map.groupBy(made, ({ input }) => Number(input));
    expect(
      parents.flatMap(({ args, createdAt, completedAt }) => {
        const lived = struck.filter(
          ({ from, to }) => to >= createdAt.getTime() && from <= (completedAt?.getTime() ?? 0),
        );
        return requestFaults(Number(args.n), asked.get(Number(args.n)) ?? [], lived.length);
      }),
    ).toEqual([]);
    expect([
      ...keyFaults(parents, load.accepted),
      ...all.flatMap((play) => playFaults(play)),
      ...historyFaults(await playHistory(plays, cluster.since)),
    ]).toEqual([]);
    // the faults met plays in the midst of them
    expect(parents.filter((play) => chainOf(play).nth === 0 && play.epoch > 1).length).toBeGreaterThan(0);
  },
);
