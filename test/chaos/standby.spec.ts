// Processes of its own: their Redis fails over to a standby.
import { privateMongod } from '@weft/testing';
import { expect, it } from 'vitest';
import { campaign, reportOf, type Strike } from './harness/campaign.js';
import { CAMPAIGN_TIMEOUT_MS, MINUTES } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { redisPair } from './harness/redis-pair.js';
import { startReplicaSet } from './harness/replica-set.js';

const RUNS_PER_SECOND = 12;
const LAG_MS = 2_000;
// replica-set.spec.ts kills primaries of MongoDB in `npm test`: the short form needs no set of three
const set = MINUTES > 0 ? await startReplicaSet() : null;
const redis = await redisPair();
const cluster = await watchedFleet(
  { mongodbUri: set?.uri ?? (await privateMongod()).uri, redisUrl: redis.uri },
  { apps: ['api', 'worker', 'worker', 'scheduler'], env: { WORKER_SLOTS: '40' } },
);
const { admin, ledger, plays } = cluster;
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, { delayMs: (_call, nth) => (nth % 20 === 0 ? 5_000 : spread(nth, 500)) });
const load = insistentLoad({
  perSecond: RUNS_PER_SECOND,
  clients: [admin],
  run: (n) => ({ flowId, body: { args: { n } } }),
});

async function killPrimary(): Promise<void> {
  if (!set) return;
  const killed = await set.primary();
  await killed.kill();
  await set.primary(killed);
  await killed.start();
}

const always: Readonly<Record<string, Strike>> = {
  'the primary of Redis is killed, and a standby that lags takes its place': () => redis.failOver(LAG_MS),
};
const longer: Readonly<Record<string, Strike>> = {
  'the primary of Redis is killed, and the standby takes its place': () => redis.failOver(),
  'the primary of MongoDB is killed': killPrimary,
  'the primaries of both are killed at once': async () => {
    await Promise.all([redis.failOver(LAG_MS), killPrimary()]);
  },
};

it(
  'loses nothing while the standby of Redis takes over, and while primaries are killed',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    const struck = await campaign(cluster, load, MINUTES > 0 ? { always: { ...always, ...longer } } : { always });
    await load.stop();
    await annotate(reportOf(cluster, load, struck));
    expect(await faultsAfter(cluster, { accepted: [...load.accepted.values()] })).toEqual([]);
    const stored = await plays.find({}, { projection: { flowId: 1, idempotencyKey: 1 } }).toArray();
    expect(keyFaults(stored, load.accepted)).toEqual([]);
  },
);
