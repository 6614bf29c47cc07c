// Processes of its own: one company floods them.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const BACKLOG = 20_000;
/** Many times the slots: the plays of all slots may end at one moment, just before or just after the time that is counted. */
const SHARED = 2_000;
const DELAYED = 3_000;
/** Runs of one request. */
const BATCH = 500;
/** On any machine: a quiet one takes a minute. */
const ENDED_WITHIN_MS = 600_000;
/** The admission window of a company: twice the slots. */
const WINDOW = 100;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], env: { WORKER_SLOTS: '50' } });
const { admin: busy, ledger, plays } = cluster;
const quiet = await neighbourCompany(cluster);
const accepted: string[] = [];

async function flowOf(client: typeof busy, path: string): Promise<string> {
  const { id } = await client.createFlow({ name: path });
  await client.addLayer(id, { ref: 'call', appId: 'web-request', args: { url: `${ledger.url}${path}` } });
  return id;
}

const busyFlow = await flowOf(busy, '/busy');
const quietFlow = await flowOf(quiet, '/quiet');

/** In one request; the ids of its plays. */
async function runMany(client: typeof busy, flowId: string, count: number, run = {}): Promise<string[]> {
  const { status, body } = await client.send<{ items: readonly { playId: string }[] }>(
    'POST',
    `/api/v1/flows/${flowId}/run-batch`,
    { runs: Array.from({ length: count }, () => run) },
  );
  expect(status).toBe(202);
  return body.items.map(({ playId }) => playId);
}

/** When the flow's plays ended, in order, once all have; in ms. */
async function endsOf(flowId: string): Promise<number[]> {
  const open = () => plays.countDocuments({ flowId, state: { $ne: 'DONE' } }, { limit: 1 });
  await waitFor(async () => (await open()) === 0, { what: 'all plays to end', withinMs: 60_000 });
  const ended = await plays.find({ flowId }, { projection: { completedAt: 1 } }).toArray();
  return ended.map(({ completedAt }) => completedAt?.getTime() ?? 0).sort((a, b) => a - b);
}

/** From the request to the DONE play, in ms. */
async function runAlone(): Promise<number> {
  const startedAt = performance.now();
  const { playId } = await quiet.run(quietFlow);
  accepted.push(playId);
  await quiet.waitForPlay(playId, { state: 'DONE' });
  return Math.round(performance.now() - startedAt);
}

it('shares the workers evenly between two companies that both want more than there is', async ({ annotate }) => {
  // 50 slots, 20 ms per call: every wait is a wait for a slot. Calls are slow until both backlogs are there, or a slow API would
  // accept the second one when little of the first is left
  let isAccepted = false;
  answerEffects(ledger, { delayMs: () => (isAccepted ? 20 : 1_000) });
  const both = [
    { client: busy, flowId: busyFlow },
    { client: quiet, flowId: quietFlow },
  ];
  // Unequal backlogs, one of them earlier than the other.
  const sizes = [SHARED * 2, SHARED];
  for (const [i, { client, flowId }] of both.entries()) {
    for (let sent = 0; sent < (sizes[i] ?? 0); sent += BATCH) accepted.push(...(await runMany(client, flowId, BATCH)));
  }
  isAccepted = true;
  const ended = await Promise.all(both.map(({ flowId }) => endsOf(flowId)));
  // The time in which both have a backlog: from the start of the second until the rest of one backlog fits into its window.
  const from = Math.max(...ended.map((times) => times[WINDOW] ?? 0));
  const to = Math.min(...ended.map((times) => times.at(-WINDOW) ?? 0));
  const counts = ended.map((times) => times.filter((at) => at >= from && at < to).length);
  const [first = 0, second = 0] = counts;
  await annotate(`${first} and ${second} plays ended while both had a backlog`);
  expect(first + second).toBeGreaterThan(SHARED);
  expect(Math.abs(first / (first + second) - 0.5)).toBeLessThan(0.05);
});

it('runs a company’s play while 20,000 of another company wait', async ({ annotate }) => {
  // The busy company's calls take long: its backlog stays.
  answerEffects(ledger, { delayMs: ({ path }) => (path === '/busy' ? 500 : 0) });
  const without = await runAlone();

  const load = startLoad(BACKLOG / BATCH, 4, () => runMany(busy, busyFlow, BATCH));
  await load.done;
  expect(load.unanswered).toEqual([]);
  accepted.push(...load.answered.flatMap(({ value }) => value));

  const beside = await runAlone();
  const waiting = await plays.countDocuments({ flowId: busyFlow, state: 'NEW' });
  expect(waiting).toBeGreaterThan(15_000);
  await annotate(`one play: ${without} ms without a backlog, ${beside} ms beside ${waiting} waiting ones`);
});

it('runs a company’s play while thousands of delayed ones of another company are due besides', async ({ annotate }) => {
  for (let sent = 0; sent < DELAYED; sent += BATCH)
    accepted.push(...(await runMany(busy, busyFlow, BATCH, { delayMs: 1 })));
  const due = () => plays.countDocuments({ flowId: busyFlow, state: 'DEFERRED', dueAt: { $lte: new Date() } });
  const beside = await runAlone();
  const rung = await plays.countDocuments({ flowId: busyFlow, state: 'RUN' });
  await annotate(`one play: ${beside} ms beside ${await due()} that are due, ${rung} of the company are at work`);
  expect(await due()).toBeGreaterThan(DELAYED / 2);
  expect(rung).toBeLessThanOrEqual(WINDOW);
});

it(
  'runs all of the backlog to its end, each once',
  async () => {
    answerEffects(ledger);
    expect(await faultsAfter(cluster, { accepted, withinMs: ENDED_WITHIN_MS })).toEqual([]);
  },
  2 * ENDED_WITHIN_MS,
);
