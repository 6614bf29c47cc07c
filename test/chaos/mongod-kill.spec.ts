// Processes of its own: their MongoDB is killed.
import type { Problem } from '@weft/contracts';
import { ApiClient, waitFor, type SpawnedProcess } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const cluster = await startCluster({ env: { WORKER_SLOTS: '20' } });
const { admin, ledger, mongod, of } = cluster;
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 600) });
const processes = ['api', 'worker', 'scheduler', 'realtime'] as const;
const accepted: string[] = [];
let unanswered = 0;

async function healthOf({ url }: SpawnedProcess): Promise<string> {
  const { status, body } = await new ApiClient(url).send<{
    readonly status: string;
    readonly checks: { readonly database: { readonly status: string; readonly error?: string } };
  }>('GET', '/health');
  const { database } = body.checks;
  const why = /\(([A-Z]+)\)$/.exec(database.error ?? '')?.[1];
  return `${status} ${body.status}, database ${database.status}${why === undefined ? '' : `: ${why}`}`;
}

/** The health of every process, as soon as all agree. */
function allSay(what: string): Promise<unknown> {
  return waitFor(
    async () => {
      const said = await Promise.all(processes.flatMap((app) => of(app).map(healthOf)));
      return said.every((one) => one === what);
    },
    { what: `every process to say "${what}"`, withinMs: 60_000 },
  );
}

it('answers 503 and is unhealthy when MongoDB is killed under load', async () => {
  const load = startLoad(120, 10, (n) => admin.run(flowId, { args: { n } }));
  await waitFor(() => ledger.calls.length > 30, { what: 'plays to be under way' });
  await mongod.kill();
  // health-service.spec.ts in libs/observability tests how soon, independent of the machine's speed
  await allSay('503 unhealthy, database unhealthy: ECONNREFUSED');

  const refused = await admin.send<Problem>('POST', `/api/flows/${flowId}/run`, { args: { n: -1 } });
  unanswered += 1;
  expect(refused).toMatchObject({ status: 503, body: { code: 'store_unavailable', retryable: true } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

  await mongod.start();
  await load.done;
  accepted.push(...load.answered.map(({ value }) => value.playId));
  unanswered += load.unanswered.length;
});

it('recovers by itself: every process is healthy, every accepted play ends, no layer is called twice', async () => {
  await allSay('200 healthy, database healthy');
  const { playId } = await admin.run(flowId, { args: { n: 1_000 } });
  accepted.push(playId);
  expect(await faultsAfter(cluster, { accepted, unanswered })).toEqual([]);
});
