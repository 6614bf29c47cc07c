import { waitFor } from '@weft/testing';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';
import { CLOCK_TOLERANCE_MS } from './harness/play-faults.js';

const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler', 'scheduler', 'scheduler'],
  // Few at once: most lie in Redis when it loses them.
  env: { WORKER_SLOTS: '8' },
});
const { admin, ledger, redis, plays } = cluster;
const flowId = await effectFlow(admin, ledger.url);
const accepted: string[] = [];

it('starts each delayed play once, when it is due, with three schedulers', async () => {
  answerEffects(ledger);
  const delayMs = 2_000;
  const load = startLoad(30, 10, (n) => admin.run(flowId, { args: { n }, delayMs }));
  await load.done;
  expect(load.unanswered).toEqual([]);
  expect(new Set(load.answered.map(({ value }) => value.state))).toEqual(new Set(['DEFERRED']));
  const ids = load.answered.map(({ value }) => value.playId);
  accepted.push(...ids);
  expect(await faultsAfter(cluster, { accepted, withinMs: 20_000 })).toEqual([]);

  const ended = await Promise.all(ids.map((id) => admin.play(id)));
  const early = ended.filter(
    ({ createdAt, startedAt }) => Date.parse(startedAt ?? '') + CLOCK_TOLERANCE_MS < Date.parse(createdAt) + delayMs,
  );
  expect(early).toEqual([]);
});

it('raises what a wiped Redis forgot without a second call, with three schedulers at it', async () => {
  answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 300) });
  const before = ledger.calls.length;
  const raised = () => plays.countDocuments({ epoch: { $gt: 1 } });
  const raisedBefore = await raised();
  const load = startLoad(80, 10, (n) => admin.run(flowId, { args: { n } }));
  await waitFor(() => ledger.calls.length > before + 20, { what: 'plays to be under way' });
  const connection = new Redis(redis.uri);
  await connection.flushall();
  await connection.quit();
  await load.done;
  accepted.push(...load.answered.map(({ value }) => value.playId));
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
  expect(await raised()).toBeGreaterThan(raisedBefore);
});
