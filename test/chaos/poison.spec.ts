// Processes of its own: plays kill their workers.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const CRASHES = 3;
const NEIGHBOURS = 8;
const SLOTS = 20;
const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler'],
  env: { WORKER_SLOTS: String(SLOTS) },
  shortTimes: true,
});
const { admin, ledger, add, one, plays } = cluster;
const accepted: string[] = [];
let crashes = 0;
let poison = '';
let worker = one('worker');

it('fails a play that kills its worker three times, and runs its neighbours to their end', async () => {
  const flowId = await effectFlow(admin, ledger.url);
  const poisonous = await admin.createFlow({ name: 'Poison' });
  await admin.addLayer(poisonous.id, { ref: 'kill', appId: 'web-request', args: { url: `${ledger.url}/poison` } });
  answerEffects(ledger, { delayMs: ({ path }) => (path === '/poison' ? 60_000 : 700) });

  ({ playId: poison } = await admin.run(poisonous.id));
  const neighbours = startLoad(NEIGHBOURS, NEIGHBOURS, (n) => admin.run(flowId, { args: { n } }));
  for (let crash = 1; crash <= CRASHES; crash += 1) {
    await waitFor(() => ledger.callsTo('/poison').length === crash, {
      what: `call ${crash} of the poison play`,
      withinMs: 60_000,
    });
    await waitFor(() => plays.findOne({ _id: poison, owner: { $exists: true } }), { what: 'the poison play’s owner' });
    await worker.kill();
    worker = await add('worker');
  }
  await neighbours.done;

  const play = await admin.waitForPlay(poison, { withinMs: 60_000 });
  expect(play).toMatchObject({ state: 'FAIL', error: { code: 'crashed_repeatedly' } });
  accepted.push(poison, ...neighbours.answered.map(({ value }) => value.playId));
  crashes += CRASHES;
  expect(accepted).toHaveLength(1 + NEIGHBOURS);
  expect(await faultsAfter(cluster, { accepted, failed: [poison], crashes })).toEqual([]);
  expect(ledger.callsTo('/poison')).toHaveLength(CRASHES);
});

it('runs others while all plays of a dead worker wait for their turn, and all of them within a minute', async () => {
  const flowId = await effectFlow(admin, ledger.url);
  answerEffects(ledger, { delayMs: ({ path, body }) => (path === '/first' && body.includes('suspect') ? 5_000 : 0) });
  const startedAt = ledger.calls.length;
  const suspects = startLoad(SLOTS, SLOTS, () => admin.run(flowId, { args: { n: 'suspect' } }));
  await suspects.done;
  const ids = suspects.answered.map(({ value }) => value.playId);
  await waitFor(() => ledger.calls.length - startedAt === SLOTS, { what: 'all of them to run' });
  const among = { _id: { $in: ids } };
  await waitFor(async () => (await plays.countDocuments({ ...among, owner: { $exists: true } })) === SLOTS, {
    what: 'their owners',
  });
  await worker.kill();
  crashes += 1;
  worker = await add('worker');
  const killedAt = performance.now();
  await waitFor(() => plays.findOne({ ...among, crashes: 1, owner: { $exists: true } }), {
    what: 'the first of them to run again',
    withinMs: 60_000,
  });

  const { playId } = await admin.run(flowId, { args: { n: 'new' } });
  await admin.waitForPlay(playId, { state: 'DONE' });
  expect(await plays.countDocuments({ ...among, 'layers.0': { $exists: true } })).toBe(0);
  accepted.push(playId, ...ids);
  expect(await faultsAfter(cluster, { accepted, failed: [poison], crashes })).toEqual([]);
  expect(performance.now() - killedAt).toBeLessThan(60_000);
});
