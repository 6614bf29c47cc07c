// Processes of its own: a worker is frozen past its lease.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const OWNED = 8;
const FRESH = 6;
/** Few, so that none has waited long for its answer when the last one is called. */
const HASTY = 3;
const LAYER_TIMEOUT_MS = 2_500;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], shortTimes: true });
const { admin, ledger, add, one, plays } = cluster;
const run = (n: number) => admin.run(flowId, { args: { n } });
const flowId = await effectFlow(admin, ledger.url);
/** What a worker logs when it finds out that it does not own a play any more. */
const LOST = 'another one has the play now';

it('changes nothing after it was frozen past its lease and goes on', async () => {
  const isFrozen = Promise.withResolvers<void>();
  answerEffects(ledger, { after: isFrozen.promise });
  const frozen = one('worker');
  const owned = startLoad(OWNED, OWNED, run);
  await waitFor(async () => (await plays.countDocuments({ owner: { $exists: true } })) === OWNED, {
    what: 'the worker to own its plays',
  });
  // These are handed out and not owned yet: nothing in MongoDB shows that a worker has begun.
  const fresh = startLoad(FRESH, FRESH, run);
  await waitFor(() => ledger.calls.length === OWNED + FRESH, { what: 'the fresh plays to be called' });
  await frozen.kill('SIGSTOP');
  isFrozen.resolve();
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
  const hasty = await effectFlow(admin, ledger.url, {}, { timeoutMs: LAYER_TIMEOUT_MS });
  const isFrozen = Promise.withResolvers<void>();
  answerEffects(ledger, { after: isFrozen.promise });
  const before = ledger.calls.length;
  const { answered, done } = startLoad(HASTY, HASTY, (n) => admin.run(hasty, { args: { n } }));
  await waitFor(() => ledger.calls.length === before + HASTY, { what: 'the worker to call for each of its plays' });
  await worker.kill('SIGSTOP');
  isFrozen.resolve();
  await done;
  // shorter than what is left of a lease
  const lateMs = performance.now() + LAYER_TIMEOUT_MS + 300;
  await waitFor(() => performance.now() > lateMs, { what: 'the layers to be late' });
  await worker.kill('SIGCONT');
  for (const { value } of answered) await admin.waitForPlay(value.playId, { state: 'DONE' });
  expect(ledger.calls.length - before).toBe(2 * HASTY);
});
