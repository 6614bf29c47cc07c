import { waitFor, type ApiClient } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const cluster = await startCluster({ apps: ['api', 'worker', 'worker', 'scheduler'], env: { WORKER_SLOTS: '15' } });
const { admin, ledger, add, of } = cluster;
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 500) });
const accepted: string[] = [];
/** Shorter than a lease: what a stopping worker does not finish goes to the next one at once, not when a lease ends. */
const AT_ONCE_MS = 10_000;

it('repeats no layer and waits for no lease when workers are stopped one after the other under load', async () => {
  const load = startLoad(150, 12, (n) => admin.run(flowId, { args: { n } }));
  for (const [i, worker] of of('worker').entries()) {
    await waitFor(() => ledger.calls.length > 60 * (i + 1), { what: 'plays to be under way' });
    await worker.kill('SIGTERM');
    // A second one while it drains changes nothing.
    await worker.kill('SIGTERM');
    await add('worker');
    expect(await worker.ended).toBe(0);
  }
  await load.done;
  expect(load.unanswered).toEqual([]);
  accepted.push(...load.answered.map(({ value }) => value.playId));
  expect(await faultsAfter(cluster, { accepted, withinMs: AT_ONCE_MS })).toEqual([]);
});

it('answers every run when an API process is stopped under load and another one is there', async () => {
  const [first] = of('api');
  const other = admin.at((await add('api')).url);
  const run = (client: ApiClient, n: number) => client.run(flowId, { args: { n }, idempotencyKey: `run ${n}` });
  // What a load balancer does: who is not answered by the one asks the other.
  const load = startLoad(200, 12, (n) => run(admin, n).catch(() => run(other, n)));
  await waitFor(() => load.answered.length > 50, { what: 'runs to be answered' });
  await first?.kill('SIGTERM');
  await load.done;
  expect(await first?.ended).toBe(0);
  expect(load.unanswered).toEqual([]);
  accepted.push(...load.answered.map(({ value }) => value.playId));
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
});
