// Processes of its own: they are given more than they can do.
import { waitFor, type ApiClient } from '@weft/testing';
import { expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { historyFaults, playHistory } from './harness/play-history.js';
import { playFaults } from './harness/play-faults.js';
import { startLoad } from './harness/load.js';
import { runMany, singleCallFlow } from './harness/single-call-flow.js';

const SLOTS = 25;
const WORKERS = 2;
/** The admission window of a company: twice the slots. */
const WINDOW = 2 * SLOTS * WORKERS;
/** Plays of another company: those that were rung for before, and those that ran. */
const MOST_BEFORE = WINDOW + SLOTS * WORKERS;
/** Number of each kind of large play. */
const LARGE = 24;
const QUIET_RUNS = 12;
const MB = 1_000_000;
const cluster = await startCluster({
  apps: ['api', 'worker', 'worker', 'scheduler'],
  env: { WORKER_SLOTS: String(SLOTS) },
});
const { admin: busy, ledger, plays } = cluster;
const quiet = await neighbourCompany(cluster);
const quietFlow = await singleCallFlow(quiet, `${ledger.url}/quiet`);

const endedOf = (flowIds: readonly string[]): Promise<number> =>
  plays.countDocuments({ flowId: { $in: [...flowIds] }, completedAt: { $exists: true } });

/** Runs the quiet company's flow, and counts the plays of these flows that ended between its acceptance and its end. */
async function endsMeanwhile(flowIds: readonly string[]): Promise<number> {
  const { playId } = await quiet.run(quietFlow);
  await quiet.waitForPlay(playId, { state: 'DONE', withinMs: 90_000 });
  const { createdAt, completedAt } = (await plays.findOne({ _id: playId })) ?? {};
  return plays.countDocuments({ flowId: { $in: [...flowIds] }, completedAt: { $gte: createdAt, $lte: completedAt } });
}

/** A flow of one program. */
async function programOf(client: ApiClient, name: string, source: string, more: object = {}): Promise<string> {
  const { id } = await client.createFlow({ name });
  await client.addLayer(id, { ref: 'code', appId: 'code', args: { source, timeoutMs: 20_000 }, ...more });
  return id;
}

/** Eight parallel layers, each with an output that is just small enough to be stored in the play. */
async function stageOf(client: ApiClient): Promise<string> {
  const { id } = await client.createFlow({ name: 'Stage' });
  for (let i = 0; i < 8; i += 1) {
    const url = `${ledger.url}/list`;
    await client.addLayer(id, { ref: `l${i}`, appId: 'web-request', args: { url }, stage: 'all' });
  }
  return id;
}

it('ends plays with messages, outputs and args of megabytes, and no play of another company waits for it or fails of it', async ({
  annotate,
}) => {
  const numbers = Array.from({ length: 6_000 }, (_, i) => i % 10);
  ledger.answerWith(({ path }) => ({ body: path === '/list' ? numbers : { receipt: 'r' } }));
  const retry = { attempts: 3, backoff: 'fixed', delayMs: 50, maxDelayMs: 50 };
  const kinds = [
    { flowId: await programOf(busy, 'Shouts', `throw new Error('x'.repeat(${6 * MB}))`), end: 'FAIL code_failed' },
    {
      flowId: await programOf(busy, 'Shouts again', `throw new Error('x'.repeat(${2 * MB}))`, { retry }),
      end: 'FAIL code_failed',
    },
    { flowId: await programOf(busy, 'Returns much', `return 'x'.repeat(${3 * MB})`), end: 'DONE' },
    { flowId: await stageOf(busy), end: 'DONE' },
    { flowId: await singleCallFlow(busy, `${ledger.url}/echo`), end: 'DONE', args: { numbers } },
  ];
  const flowIds = kinds.map(({ flowId }) => flowId);
  const load = Promise.all(kinds.map(({ flowId, args = {} }) => runMany(busy, flowId, LARGE, () => ({ args }))));
  const meanwhile: number[] = [];
  const beside = startLoad(QUIET_RUNS, 1, async () => meanwhile.push(await endsMeanwhile(flowIds)));
  await load;
  await beside.done;
  expect(beside.unanswered).toEqual([]);
  const total = kinds.length * LARGE;
  await waitFor(async () => (await endedOf(flowIds)) === total, {
    what: 'all large plays to end',
    withinMs: 120_000,
  }).catch(() => undefined);
  await annotate(`${meanwhile.join(', ')} of ${total} large plays ended while one play of another company ran`);
  const ends = await plays
    .find({ flowId: { $in: flowIds } }, { projection: { flowId: 1, state: 1, error: 1 } })
    .toArray();
  const wrong = kinds.flatMap(({ flowId, end }) =>
    ends
      .filter((play) => play.flowId === flowId)
      .map(({ state, error }) => (error ? `${state} ${error.code}: ${error.message.slice(0, 200)}` : state))
      .filter((each) => !each.startsWith(end)),
  );
  expect(wrong).toEqual([]);
  expect(ends).toHaveLength(total);
  expect(Math.max(...meanwhile)).toBeLessThanOrEqual(MOST_BEFORE);
  const singles = plays.find({ flowId: { $nin: [kinds[3]?.flowId ?? ''] } });
  expect((await singles.toArray()).flatMap((play) => playFaults(play))).toEqual([]);
  expect(historyFaults(await playHistory(plays, cluster.since))).toEqual([]);
  expect(await plays.countDocuments({ crashes: { $gt: 0 } })).toBe(0);
});
