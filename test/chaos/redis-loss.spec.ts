// Processes of its own: their Redis forgets everything.
import { waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const PLAYS = 100;
const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler'],
  persistentRedis: false,
  // Few at once, so that most wait in Redis when it loses them, and some outside the window.
  env: { WORKER_SLOTS: '8', RUN_WINDOW: '40' },
  shortTimes: true,
});
const { admin, ledger, redis } = cluster;
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 400) });
const accepted: string[] = [];

/** Loses Redis' data when a third of the plays is running, and continues to send runs while Redis is unreachable. */
async function loseUnderLoad(lose: () => Promise<void>): Promise<void> {
  const before = ledger.calls.length;
  const load = startLoad(PLAYS, 5, (n) => admin.run(flowId, { args: { n } }));
  await waitFor(() => ledger.calls.length > before + PLAYS / 3, { what: 'plays to be under way' });
  await lose();
  await load.done;
  expect(load.unanswered).toEqual([]);
  accepted.push(...load.answered.map(({ value }) => value.playId));
}

it('runs every accepted play to its end, each layer once, when Redis is killed and forgets everything', async () => {
  await loseUnderLoad(async () => {
    await redis.kill();
    await redis.start();
  });
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
  expect(await cluster.plays.countDocuments({ epoch: { $gt: 1 } })).toBeGreaterThan(0);
});

it('does so when Redis is emptied under it', async () => {
  const raised = await cluster.plays.countDocuments({ epoch: { $gt: 1 } });
  await loseUnderLoad(async () => {
    const connection = new Redis(redis.uri);
    await connection.flushall();
    await connection.quit();
  });
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
  expect(await cluster.plays.countDocuments({ epoch: { $gt: 1 } })).toBeGreaterThan(raised);
});
