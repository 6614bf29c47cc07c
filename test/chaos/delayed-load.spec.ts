// Processes of its own: they get more delayed plays than fit the window, and a worker is killed.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects } from './harness/effect-flow.js';
import { playFaults } from './harness/play-faults.js';
import { historyFaults, playHistory } from './harness/play-history.js';
import { runMany, singleCallFlow } from './harness/single-call-flow.js';

const SLOTS = 25;
/** The admission window of a company: twice the slots, or a few more. */
const WINDOW = 64;
const DELAYED = 1_500;
const QUIET_RUNS = 5;
const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler'],
  env: { WORKER_SLOTS: String(SLOTS), RUN_WINDOW: String(WINDOW) },
});
const { admin: busy, ledger, plays } = cluster;
const quiet = await neighbourCompany(cluster);
const quietFlow = await singleCallFlow(quiet, `${ledger.url}/quiet`);

/** Runs the quiet company's flow in parallel with these plays, and counts those that ended between its acceptance and its end. */
async function endsMeanwhile(flowId: string): Promise<{ readonly playId: string; readonly ends: number }> {
  const { playId } = await quiet.run(quietFlow);
  await quiet.waitForPlay(playId, { state: 'DONE', withinMs: 90_000 });
  const { createdAt, completedAt } = (await plays.findOne({ _id: playId })) ?? {};
  const ends = await plays.countDocuments({ flowId, completedAt: { $gte: createdAt, $lte: completedAt } });
  return { playId, ends };
}

it.for(['delayed plays', 'plays that an event wakes'])(
  'lets a company’s play wait for no more %s of another company than its window holds',
  async (kind, { annotate }) => {
    answerEffects(ledger, { delayMs: ({ path }) => (path === '/busy' ? 200 : 0) });
    const { id: flowId } = await busy.createFlow({ name: kind });
    if (kind !== 'delayed plays') {
      await busy.addLayer(flowId, { ref: 'go', appId: 'wait-event', args: { name: 'go' } });
    }
    await busy.addLayer(flowId, { ref: 'call', appId: 'web-request', args: { url: `${ledger.url}/busy` } });
    const accepted = await runMany(busy, flowId, DELAYED, () => (kind === 'delayed plays' ? { delayMs: 3_000 } : {}));
    if (kind !== 'delayed plays') {
      const waiting = () => plays.countDocuments({ flowId, state: 'WAIT' });
      await waitFor(async () => (await waiting()) === DELAYED, { what: 'all to wait', withinMs: 60_000 });
      expect((await busy.send('POST', '/api/v1/events', { name: 'go' })).status).toBe(202);
    }
    await waitFor(() => plays.countDocuments({ flowId, completedAt: { $exists: true } }).then((ended) => ended > 0), {
      what: 'the first of them to end',
      withinMs: 60_000,
    });
    let most = 0;
    const beside: number[] = [];
    for (let i = 0; i < QUIET_RUNS; i += 1) {
      most = Math.max(most, await cluster.jobs());
      const { playId, ends } = await endsMeanwhile(flowId);
      beside.push(ends);
      accepted.push(playId);
    }
    await annotate(
      `${most} jobs at most; ${beside.join(', ')} plays ended while one of the other company waited and ran`,
    );
    expect(most).toBeLessThanOrEqual(WINDOW + SLOTS);
    expect(Math.max(...beside)).toBeLessThanOrEqual(WINDOW + SLOTS);
    const open = () => cluster.open(accepted);
    await waitFor(async () => (await open()) === 0, { what: 'all plays to end', withinMs: 90_000 });
    const stored = await plays.find().toArray();
    expect(stored.flatMap((play) => playFaults(play))).toEqual([]);
    expect(historyFaults(await playHistory(plays, cluster.since))).toEqual([]);
    expect(stored.filter(({ state, crashes }) => state !== 'DONE' || crashes)).toEqual([]);
    const keys = ledger.calls.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(stored.length);
    expect(new Set(keys).size).toBe(stored.length);
  },
);
