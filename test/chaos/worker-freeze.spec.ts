// Processes of its own: a worker is frozen past its lease.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';
import { TIMES } from './harness/short-times.js';

const OWNED = 8;
const FRESH = 6;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], shortTimes: true });
const { admin, ledger, add, one, plays } = cluster;
const run = (n: number) => admin.run(flowId, { args: { n } });
const flowId = await effectFlow(admin, ledger.url);
/** What a worker logs when it finds out that it does not own a play any more. */
const LOST = 'another one has the play now';

it('changes nothing after it was frozen past its lease and goes on', async () => {
  answerEffects(ledger, { delayMs: () => 1_500 });
  const frozen = one('worker');
  const owned = startLoad(OWNED, OWNED, run);
  await waitFor(async () => (await plays.countDocuments({ owner: { $exists: true } })) === OWNED, {
    what: 'the worker to own its plays',
  });
  // These are handed out and not owned yet: nothing in MongoDB shows that a worker has begun.
  const fresh = startLoad(FRESH, FRESH, run);
  await waitFor(() => ledger.calls.length === OWNED + FRESH, { what: 'the fresh plays to be called' });
  await frozen.kill('SIGSTOP');
  await Promise.all([owned.done, fresh.done]);
  const accepted = [...owned.answered, ...fresh.answered].map(({ value }) => value.playId);

  // The lease of those with an owner expires, the queue's lock of the others: the second worker finishes all of them.
  answerEffects(ledger);
  const second = await add('worker');
  await waitFor(async () => (await cluster.open(accepted)) === 0, { what: 'all plays to end', withinMs: 90_000 });
  const after = ledger.calls.length;

  await frozen.kill('SIGCONT');
  const lost = () => frozen.output().split(LOST).length - 1;
  await waitFor(() => lost() === OWNED + FRESH, { what: 'the thawed worker to find out about each of its plays' });
  expect(ledger.calls.length).toBe(after);
  expect(await faultsAfter(cluster, { accepted, crashes: 1 })).toEqual([]);

  // It works again, as the only worker.
  await second.stop();
  await admin.waitForPlay((await run(1_000)).playId, { state: 'DONE' });
});

it('lets no layer time out whose answer came while it was frozen', async () => {
  const worker = one('worker');
  const hasty = await effectFlow(admin, ledger.url, {}, { timeoutMs: 2_000 });
  answerEffects(ledger, { delayMs: () => 1_000 });
  const before = ledger.calls.length;
  const { answered, done } = startLoad(OWNED, OWNED, (n) => admin.run(hasty, { args: { n } }));
  await waitFor(async () => (await plays.countDocuments({ flowId: hasty, owner: { $exists: true } })) === OWNED, {
    what: 'the worker to own its plays',
  });
  await worker.kill('SIGSTOP');
  await done;
  // longer than the layers may take, and shorter than a lease
  const lately = () => new Date(Date.now() - TIMES.leaseMs / 2);
  const renewed = () => plays.countDocuments({ flowId: hasty, heartbeatAt: { $gt: lately() } });
  await waitFor(async () => (await renewed()) === 0, { what: 'the frozen worker to have missed a renewal' });
  await worker.kill('SIGCONT');
  for (const { value } of answered) await admin.waitForPlay(value.playId, { state: 'DONE' });
  expect(ledger.calls.length - before).toBe(2 * OWNED);
});
