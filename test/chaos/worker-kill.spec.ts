// Processes of its own: workers and the scheduler are killed.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { repeatedCalls } from './harness/call-faults.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';
import { mostInside } from './harness/most-inside.js';
import { playHistory } from './harness/play-history.js';

const PLAYS = 80;
const SLOTS = 15;
/** For a flow that admits this many plays at once. */
const LIMIT = 2;
const LIMITED_PLAYS = 8;
/** A call whose answer no worker receives: the worker is killed long before, also on a slow machine. */
const UNTIL_KILLED_MS = 200_000;
// Most wait outside the window: the killed workers are those that should have rung for the next ones.
const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler'],
  env: { WORKER_SLOTS: String(SLOTS), RUN_WINDOW: '25' },
  shortTimes: true,
});
const { admin, ledger, add, one } = cluster;

it('loses and repeats nothing when workers and the scheduler are killed in mid-play', async () => {
  const retry = { attempts: 8, backoff: 'exponential', delayMs: 300, maxDelayMs: 1_200 };
  const flowId = await effectFlow(admin, ledger.url, { retry });
  // Some calls end before a play has an owner, most after: the kills affect both kinds of plays.
  // Some of them fail: workers die between two attempts, too.
  answerEffects(ledger, {
    delayMs: ({ path }, nth) => (path === '/never-twice' ? UNTIL_KILLED_MS : spread(nth, 900)),
    fails: ({ path }, nth) => path === '/second' && nth % 4 === 0,
  });
  const second = await add('worker');
  const limitedId = await effectFlow(admin, ledger.url, { retry });
  await admin.send('PATCH', `/api/v1/flows/${limitedId}`, { settings: { concurrency: LIMIT } });
  const fragile = await admin.createFlow({ name: 'Never twice' });
  const args = { url: `${ledger.url}/never-twice` };
  await admin.addLayer(fragile.id, {
    ref: 'pay',
    appId: 'web-request',
    args,
    onInterrupted: 'fail',
    timeoutMs: UNTIL_KILLED_MS,
  });
  const { playId: interrupted } = await admin.run(fragile.id);
  const limited = startLoad(LIMITED_PLAYS, 4, (n) => admin.run(limitedId, { args: { n } }));
  const load = startLoad(PLAYS, 10, (n) => admin.run(flowId, { args: { n } }));

  await waitFor(() => ledger.calls.length > 40, { what: 'plays to be under way' });
  await one('worker').kill();
  const third = add('worker');
  await waitFor(() => ledger.calls.length > 110, { what: 'plays to be under way again' });
  await Promise.all([second.kill(), one('scheduler').kill()]);
  await Promise.all([third, add('scheduler')]);
  await Promise.all([load.done, limited.done]);

  expect([...load.unanswered, ...limited.unanswered]).toEqual([]);
  const inLimited = limited.answered.map(({ value }) => value.playId);
  const accepted = [...load.answered.map(({ value }) => value.playId), ...inLimited, interrupted];
  expect(await faultsAfter(cluster, { accepted, failed: [interrupted], crashes: 2 })).toEqual([]);
  // A layer that must not be called twice was not called again by the worker that found its recorded start.
  expect((await admin.play(interrupted)).error).toMatchObject({ code: 'interrupted', ref: 'pay' });
  expect(ledger.callsTo('/never-twice')).toHaveLength(1);
  // A play that had a place when its worker was killed kept it, and gave it back.
  expect(mostInside(await playHistory(cluster.plays, cluster.since), inLimited)).toBe(LIMIT);
  // The kills affected plays, each of which was handed out again.
  expect(await cluster.plays.countDocuments({ epoch: { $gt: 1 } })).toBeGreaterThan(0);
  // Only what ran at the moment of a kill may have been called again for another reason than its failure.
  const tried = await cluster.plays.countDocuments({ 'layers.attempts': { $gt: 1 } });
  expect(tried).toBeGreaterThan(0);
  expect(repeatedCalls(ledger.calls)).toBeLessThanOrEqual(2 * SLOTS + tried);
});
