// Processes of its own: their Redis is emptied.
import { waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { runMany, singleCallFlow } from './harness/single-call-flow.js';

const SLOTS = 50;
/** More than one page of the reconciler, and more than one refill. */
const WINDOW = 1_500;
const BACKLOG = 4_000;
/** Long enough for a reconciler that rings for all of the backlog to get through most of it. */
const WATCHED_MS = 10_000;
const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler'],
  env: { WORKER_SLOTS: String(SLOTS), RUN_WINDOW: String(WINDOW) },
});
const { admin: busy, ledger, redis, plays } = cluster;
const quiet = await neighbourCompany(cluster);
const busyFlow = await singleCallFlow(busy, `${ledger.url}/busy`);
const quietFlow = await singleCallFlow(quiet, `${ledger.url}/quiet`);

it('rings for no more of a company’s plays than its window holds after a wipe, however large the window', async ({
  annotate,
}) => {
  answerEffects(ledger, { delayMs: () => 2_000 });
  const accepted = await runMany(busy, busyFlow, BACKLOG);
  const connection = new Redis(redis.uri);
  await connection.flushall();
  await connection.quit();

  await waitFor(async () => (await cluster.jobs()) >= WINDOW / 2, {
    what: 'plays to be rung again',
    withinMs: 60_000,
  });
  const { playId } = await quiet.run(quietFlow);
  accepted.push(playId);
  const until = performance.now() + WATCHED_MS;
  let most = 0;
  const watched = async (): Promise<boolean> => {
    most = Math.max(most, await cluster.jobs());
    return performance.now() > until;
  };
  await waitFor(watched, { what: 'the queue to be watched', withinMs: WATCHED_MS + 20_000 });
  await annotate(`${most} jobs at most, with a window of ${WINDOW} and ${BACKLOG} plays`);
  // in addition: the other company's play, and plays that end while their job still exists
  expect(most).toBeLessThanOrEqual(WINDOW + 2 * SLOTS);

  answerEffects(ledger);
  await quiet.waitForPlay(playId, { state: 'DONE', withinMs: 60_000 });
  const { createdAt, completedAt } = (await plays.findOne({ _id: playId })) ?? {};
  const before = await plays.countDocuments({
    flowId: busyFlow,
    completedAt: { $gte: createdAt, $lte: completedAt },
  });
  await annotate(`${before} plays of the other company ended while one play of this one waited and ran`);
  expect(before).toBeLessThanOrEqual(WINDOW + 2 * SLOTS);
  expect(await faultsAfter(cluster, { accepted, withinMs: 90_000 })).toEqual([]);
});
