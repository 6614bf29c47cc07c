import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const CRASHES = 3;
const NEIGHBOURS = 8;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'] });
const { admin, ledger, add, one, plays } = cluster;

it('fails a play that kills its worker three times, and runs its neighbours to their end', async () => {
  const flowId = await effectFlow(admin, ledger.url);
  const poisonous = await admin.createFlow({ name: 'Poison' });
  await admin.addLayer(poisonous.id, { ref: 'kill', appId: 'web-request', args: { url: `${ledger.url}/poison` } });
  answerEffects(ledger, { delayMs: ({ path }) => (path === '/poison' ? 60_000 : 700) });

  let worker = one('worker');
  const { playId: poison } = await admin.run(poisonous.id);
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
  const accepted = [poison, ...neighbours.answered.map(({ value }) => value.playId)];
  expect(accepted).toHaveLength(1 + NEIGHBOURS);
  expect(await faultsAfter(cluster, { accepted, failed: [poison], crashes: CRASHES })).toEqual([]);
  expect(ledger.callsTo('/poison')).toHaveLength(CRASHES);
});
