// Processes of its own: the API is killed.
import { waitFor, type ApiClient } from '@weft/testing';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';

const RUNS = 150;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], shortTimes: true });
const { admin, ledger, add, one } = cluster;

it('keeps every run that an API process accepted before it was killed', async () => {
  const flowId = await effectFlow(admin, ledger.url);
  answerEffects(ledger);
  const run = (client: ApiClient) => (n: number) =>
    client.run(flowId, { args: { n }, idempotencyKey: `run ${n}` }).then(({ playId }) => ({ n, playId }));

  const load = startLoad(RUNS, 20, run(admin));
  await waitFor(() => load.answered.length > 40, { what: 'runs to be answered' });
  await one('api').kill();
  await load.done;
  expect(load.unanswered.length).toBeGreaterThan(0);

  // A client without an answer asks again with the same key: its first request created one play or no play.
  const next = admin.at((await add('api')).url);
  const unanswered = load.unanswered.map(({ index }) => index);
  const again = startLoad(unanswered.length, 20, (i) => run(next)(unanswered[i] ?? -1));
  await again.done;
  expect(again.unanswered).toEqual([]);

  const plays = [...load.answered, ...again.answered].map(({ value }) => value);
  expect(new Set(plays.map(({ playId }) => playId)).size).toBe(RUNS);
  const accepted = plays.map(({ playId }) => playId);
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
  const stored = await cluster.plays.find({}, { projection: { key: 1 } }).toArray();
  const keyOf = new Map(stored.map(({ _id, key }) => [_id, key]));
  expect(plays.filter(({ n, playId }) => keyOf.get(playId) !== `run ${n}`)).toEqual([]);
});
