// Processes of its own: workers, schedulers and servers are killed under loops.
import { waitFor, type AppName } from '@weft/testing';
import { expect, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, faultsInTurn } from './harness/campaign-length.js';
import { startCluster } from './harness/cluster.js';
import { insistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { playFaults } from './harness/play-faults.js';
import { historyFaults, playHistory } from './harness/play-history.js';
import { laneFaults, repeatedSeriesCalls, seriesFaults } from './harness/series-faults.js';
import { answerSeries, laneFlow, laneOf, seriesFlow } from './harness/series-flow.js';

const PER_SECOND = 4;
/** Calls between two faults: plays are in the midst of each kind of series. */
const CALLS_BETWEEN = 60;
/** Redis forgets everything when it is killed. */
const cluster = await startCluster({
  apps: ['api', 'api', 'worker', 'worker', 'scheduler'],
  persistentRedis: false,
  env: { WORKER_SLOTS: '8', RUN_WINDOW: '24' },
  shortTimes: true,
});
const { admin, ledger, redis, mongod, add, of, plays } = cluster;

async function calls(count: number, withinMs = 10_000): Promise<void> {
  const until = ledger.calls.length + count;
  await waitFor(() => ledger.calls.length >= until, { what: 'calls', withinMs }).catch(() => undefined);
}

const running = (app: AppName) => of(app).filter((process) => process.isRunning());

/** Another one takes its place, at its address. */
async function kill(app: AppName): Promise<void> {
  const killed = running(app).at(-1);
  await killed?.kill();
  await add(app, { port: killed?.port });
}

const STRIKES: Readonly<Record<string, () => Promise<void>>> = {
  'a worker is killed': () => kill('worker'),
  'an API is killed': () => kill('api'),
  'Redis is killed, and has forgotten everything': async () => {
    await redis.kill();
    await calls(5, 1_000);
    await redis.start();
  },
  'the scheduler is killed': () => kill('scheduler'),
  'MongoDB is killed': async () => {
    await mongod.kill();
    await mongod.start();
  },
  'both workers are killed': async () => {
    await Promise.all(running('worker').map((worker) => worker.kill()));
    await Promise.all([add('worker'), add('worker')]);
  },
};

it(
  'loses no item, page, round or child, and gives none of them a second key, when processes and stores are killed',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    const flowId = await seriesFlow(admin, ledger.url);
    answerSeries(ledger);
    const clients = of('api').map(({ url }) => admin.at(url));
    const laneFlowId = await laneFlow(admin, ledger.url);
    const run = (n: number) =>
      n % 2 === 0 ? { flowId, body: { args: { n } } } : { flowId: laneFlowId, body: { args: { n }, lane: laneOf(n) } };
    const load = insistentLoad({ perSecond: PER_SECOND, clients, run });
    const struck: string[] = [];
    for (const fault of faultsInTurn(Object.keys(STRIKES), Object.keys(STRIKES))) {
      await calls(CALLS_BETWEEN);
      await STRIKES[fault]?.();
      struck.push(fault);
    }
    await load.stop();
    const open = () => plays.findOne({ completedAt: { $exists: false } }, { projection: { _id: 1 } });
    await waitFor(async () => (await open()) === null, { what: 'all plays to end', withinMs: 120_000 });

    const all = await plays.find().toArray();
    const parents = all.filter((play) => play.flowId === flowId);
    const inLanes = all.filter((play) => play.flowId === laneFlowId);
    const children = all.filter((play) => ![flowId, laneFlowId].includes(play.flowId));
    const repeated = repeatedSeriesCalls(ledger.calls);
    await annotate(
      `${parents.length} plays, ${children.length} children, ${inLanes.length} in lanes, ${repeated} calls repeated; ${struck.join(', ')}`,
    );
    const wrong = [...parents, ...inLanes].filter(({ state }) => state !== 'DONE');
    expect(wrong.map(({ _id, state, error }) => `${_id} ${state} ${error?.code} at ${error?.ref}`)).toEqual([]);
    const asked = [...parents, ...inLanes];
    expect([...load.accepted.values()].sort()).toEqual(asked.map(({ _id }) => _id).sort());
    expect([
      ...keyFaults(asked, load.accepted),
      ...laneFaults(inLanes, ledger.calls),
      ...seriesFaults(parents, children, ledger.calls),
      ...all.flatMap((play) => playFaults(play)),
      ...historyFaults(await playHistory(plays, cluster.since)),
    ]).toEqual([]);
    // the faults met plays in the midst of them
    expect(all.filter(({ epoch }) => epoch > 1).length).toBeGreaterThan(0);
  },
);
