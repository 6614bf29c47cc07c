import { expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const BACKLOG = 20_000;
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

/** From the request to the DONE play, in ms. */
async function runAlone(): Promise<number> {
  const startedAt = performance.now();
  const { playId } = await quiet.run(quietFlow);
  accepted.push(playId);
  await quiet.waitForPlay(playId, { state: 'DONE' });
  return Math.round(performance.now() - startedAt);
}

it('runs a company’s play while 20,000 of another company wait', async ({ annotate }) => {
  // The busy company's calls take long: its backlog stays.
  answerEffects(ledger, { delayMs: ({ path }) => (path === '/busy' ? 500 : 0) });
  const without = await runAlone();

  const load = startLoad(BACKLOG, 64, () => busy.run(busyFlow));
  await load.done;
  expect(load.unanswered).toEqual([]);
  accepted.push(...load.answered.map(({ value }) => value.playId));

  const beside = await runAlone();
  const waiting = await plays.countDocuments({ flowId: busyFlow, state: 'NEW' });
  expect(waiting).toBeGreaterThan(15_000);
  await annotate(`one play: ${without} ms without a backlog, ${beside} ms beside ${waiting} waiting ones`);
});

it('runs all of the backlog to its end, each once', async () => {
  answerEffects(ledger);
  expect(await faultsAfter(cluster, { accepted, withinMs: 150_000 })).toEqual([]);
});
