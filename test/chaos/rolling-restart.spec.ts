// Processes of its own: each process is replaced.
import { waitFor, type AppName, type LedgerAnswer, type SpawnedProcess } from '@weft/testing';
import { expect, it } from 'vitest';
import { followAll, followPlay, type Change, type PlayFrame } from '../../docs/examples/watch.js';
import { balancer, type Balancer } from '../e2e/harness/balancer.js';
import { IS_WHOLE } from './harness/campaign-length.js';
import { callsByKey, repeatedCalls } from './harness/call-faults.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { chargedWithACrash, playHistory } from './harness/play-history.js';
import { startLoad } from './harness/load.js';

/**
 * Whenever a process stops. Each asks for a run as soon as the one before was answered, most of them with their outcome: as much
 * as the machine can take, and never more plays than a few for each caller.
 */
const CALLERS = Number(process.env.ROLLING_CALLERS ?? (IS_WHOLE ? 10 : 3));
/** Of their runs, one in this many is answered before its play has ended. */
const AT_ONCE_EACH = IS_WHOLE ? 2 : 4;
/** Also while new processes start. */
const ALWAYS = IS_WHOLE ? 2 : 1;
/** Runs of these callers, before each stop and after it. */
const AT_EACH_STOP = 2 * CALLERS;
const LONG_PLAYS = 5;
/** Two processes start while eight work: on a busy machine that takes long, and only this test waits for them. */
const READY_WITHIN_MS = 150_000;
/** The order of an upgrade: docs/operations.md. */
const APPS = ['worker', 'scheduler', 'realtime', 'api'] as const satisfies readonly AppName[];

const cluster = await startCluster({
  apps: IS_WHOLE ? [...APPS, 'worker'] : APPS,
  env: { SHUTDOWN_NOTICE_SECONDS: '2' },
});
const { admin, ledger, add, of } = cluster;
const portsOf = (app: AppName): number[] => of(app).map(({ port }) => port);
const [apis, gateways] = await Promise.all([balancer(portsOf('api')), balancer(portsOf('realtime'))]);
const FRONTS: Partial<Record<AppName, Balancer>> = { api: apis, realtime: gateways };
const client = admin.at(apis.url);
const { token } = await admin.createApiKey({ scope: 'api:read' });
const flowId = await effectFlow(admin, ledger.url);
const longFlowId = await effectFlow(admin, ledger.url);
for (const n of [1, 2, 3]) await admin.addLayer(longFlowId, { ref: `rest${n}`, appId: 'delay', args: { ms: 1_500 } });
await admin.addLayer(longFlowId, { ref: 'rolled', appId: 'wait-event', args: { name: 'rolled' } });
answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 500) });
/** Of the workers that come: 0.2 s of it are for layers. */
const BRIEF: Partial<Record<AppName, Record<string, string>>> = { worker: { SHUTDOWN_GRACE_SECONDS: '4' } };
const accepted: string[] = [];

async function replace(old: SpawnedProcess, fresh: SpawnedProcess): Promise<void> {
  FRONTS[old.app]?.add(fresh.port);
  await old.kill('SIGTERM');
  // A second signal while it drains has no effect.
  await old.kill('SIGTERM');
  expect([old.app, await old.ended]).toEqual([old.app, 0]);
}

interface Roll {
  readonly app: AppName;
  readonly processes: number;
  /** Runs that were answered meanwhile. */
  readonly answered: number;
  readonly seconds: number;
}

function told({ app, processes, answered, seconds }: Roll): string {
  return `${processes} × ${app} in ${seconds.toFixed(1)} s, ${answered} runs meanwhile`;
}

/** Its numbered frames. */
async function watch(playId: string): Promise<PlayFrame[]> {
  const frames: PlayFrame[] = [];
  for await (const frame of followPlay({ base: gateways.url, token, playId })) {
    if (frame.seq !== undefined) frames.push(frame);
  }
  return frames;
}

/** No play waits for the end of a lease: a stopping worker hands unfinished plays to the next one. */
const takenForDead = async () => chargedWithACrash(await playHistory(cluster.plays, cluster.since));

/** The plays that a scheduler had to find; there may be some if the machine is too slow to ring for them. */
function healed(playIds: readonly string[]): string[] {
  const told = of('scheduler').flatMap((process) => process.output().split('\n'));
  return playIds.filter((id) => told.some((line) => line.includes('"healed a play"') && line.includes(id)));
}

/** Every change of the company, until `end` is called. */
function watchAll() {
  const changes: Change[] = [];
  const ending = new AbortController();
  const { signal } = ending;
  const reading = (async () => {
    for await (const change of followAll({ base: gateways.url, token, signal })) changes.push(change);
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { changes, end: () => (ending.abort(), reading) };
}

it('fails no request, loses and repeats nothing and leaves no gap in a stream when every process is replaced under load', async ({
  annotate,
}) => {
  const all = watchAll();
  const over = new AbortController();
  const run = (n: number) => client.run(flowId, { args: { n }, ...(n % AT_ONCE_EACH !== 0 && { wait: 5 }) });
  const loads = [startLoad(Infinity, ALWAYS, run, over.signal)];
  const rush = () => {
    const rolled = new AbortController();
    const load = startLoad(Infinity, CALLERS, run, rolled.signal);
    loads.push(load);
    return { answered: load.answered, rushOver: () => (rolled.abort(), load.done) };
  };
  const more = (answered: readonly unknown[]) => {
    const until = answered.length + AT_EACH_STOP;
    return waitFor(() => answered.length >= until, { what: 'the callers' });
  };
  const long = await Promise.all(Array.from({ length: LONG_PLAYS }, (_, n) => client.run(longFlowId, { args: { n } })));
  const watchers = Promise.all(long.map(({ playId }) => watch(playId)));
  await waitFor(() => all.changes.length > 0, { what: 'the stream of the runs' });

  const rolls: Roll[] = [];
  for (const app of APPS) {
    const old = of(app);
    const fresh = await Promise.all(old.map(() => add(app, { env: BRIEF[app], readyWithinMs: READY_WITHIN_MS })));
    const begunAt = performance.now();
    const { answered, rushOver } = rush();
    await more(answered);
    for (const [i, process] of old.entries()) {
      await replace(process, fresh[i] as SpawnedProcess);
      await more(answered);
    }
    await rushOver();
    const seconds = (performance.now() - begunAt) / 1_000;
    rolls.push({ app, processes: old.length, answered: answered.length, seconds });
  }
  over.abort();
  await Promise.all(loads.map(({ done }) => done));
  const rolled = () => client.send<{ matched: number }>('POST', '/api/v1/events', { name: 'rolled' });
  let matched = 0;
  await waitFor(async () => (matched += (await rolled()).body.matched) === LONG_PLAYS, { what: 'the long plays' });

  expect(loads.flatMap(({ unanswered }) => unanswered).map(({ error }) => error)).toEqual([]);
  expect([...apis.faults, ...gateways.faults]).toEqual([]);
  const runs = loads.flatMap(({ answered }) => answered.map(({ value }) => value.playId));
  accepted.push(...runs, ...long.map(({ playId }) => playId));
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
  expect(repeatedCalls(ledger.calls)).toBe(0);
  expect(await takenForDead()).toEqual([]);

  for (const frames of await watchers) {
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, i) => i + 1));
    expect(frames.at(-1)?.type).toBe('play_complete');
  }
  const happened = accepted.flatMap((playId) => [null, 'first', 'note', 'second'].map((ref) => `${playId} ${ref}`));
  const missed = () => {
    // a resume may repeat messages from before the break
    const done = all.changes.filter(({ state }) => state === 'DONE');
    const seen = new Set(done.map(({ playId, ref }) => `${playId} ${ref}`));
    return happened.filter((one) => !seen.has(one));
  };
  await waitFor(() => missed().length === 0, { what: 'the rest of the stream' }).catch(() => null);
  await all.end();
  expect(missed()).toEqual([]);

  await annotate(`${runs.length} runs, none failed. Replaced: ${rolls.map(told).join(', ')}`);
});

it('hands back at once what cannot end within the grace', async () => {
  const held = Promise.withResolvers<LedgerAnswer>();
  const called = new Set<string>();
  let receipts = 0;
  ledger.answerWith(({ path, idempotencyKey }) => {
    const key = String(idempotencyKey);
    const isFirst = path === '/first' && !called.has(key);
    called.add(key);
    return isFirst ? held.promise : { body: { receipt: `again${(receipts += 1)}` } };
  });
  // the others take over
  if (of('worker').filter(({ isRunning }) => isRunning()).length < 2) await add('worker', { env: BRIEF.worker });
  const stops = of('worker').findLast(({ isRunning }) => isRunning()) as SpawnedProcess;
  const itsPlays = async () => {
    const open = await cluster.plays.find({ owner: { $exists: true } }).toArray();
    return open.filter(({ owner }) => stops.output().includes(String(owner?.split(':')[0]))).map(({ _id }) => _id);
  };
  const begin = async () => {
    const runs = await Promise.all([1, 2, 3, 4].map((n) => client.run(flowId, { args: { n } })));
    accepted.push(...runs.map(({ playId }) => playId));
    const ids = runs.map(({ playId }) => playId);
    const owned = () => cluster.plays.countDocuments({ _id: { $in: ids }, owner: { $exists: true } });
    await waitFor(async () => (await owned()) === ids.length, { what: 'the plays to be under way' });
    return (await itsPlays()).length > 0;
  };
  await waitFor(begin, { what: 'plays at the worker that is to stop' });
  const handedBack = await itsPlays();
  await stops.kill('SIGTERM');

  const again = () => handedBack.filter((playId) => callsByKey(ledger.calls).get(`${playId}.0`)?.length === 2);
  await waitFor(() => again().length === handedBack.length, {
    what: 'the calls to be made again',
    withinMs: 60_000,
  });
  expect(await stops.ended).toBe(0);
  held.resolve({ body: { receipt: 'too late' } });
  expect(await faultsAfter(cluster, { accepted, crashes: 1 })).toEqual([]);
  expect(await takenForDead()).toEqual([]);
  expect(healed(handedBack)).toEqual([]);
  const repeated = [...callsByKey(ledger.calls).values()].filter((made) => made.length > 1);
  expect(repeated).toHaveLength(handedBack.length);
});
