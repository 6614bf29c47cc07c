// Processes of its own: Sentinels promote the standby of their Redis.
import { privateMongod } from '@weft/testing';
import { expect, it } from 'vitest';
import { campaign, reportOf } from './harness/campaign.js';
import { CAMPAIGN_TIMEOUT_MS, MINUTES } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad } from './harness/insistent-load.js';
import { watchedPair } from './harness/redis-pair.js';

const redis = await watchedPair();
const cluster = await watchedFleet(
  { mongodbUri: (await privateMongod()).uri, redisUrl: redis.uri },
  { apps: ['api', 'worker', 'worker', 'scheduler'], env: { WORKER_SLOTS: '40' } },
);
const { admin, ledger } = cluster;
const flowId = await effectFlow(admin, ledger.url);
answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 500) });
const load = insistentLoad({ perSecond: 12, clients: [admin], run: (n) => ({ flowId, body: { args: { n } } }) });

it(
  'loses nothing while Sentinels promote the standby of Redis, and promote the other one again',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    const always = { 'the primary of Redis is killed, and Sentinels promote the standby': () => redis.failOver() };
    const struck = await campaign(cluster, load, MINUTES > 0 ? { always } : { always: { ...always, again: () => redis.failOver() } }); // prettier-ignore
    await load.stop();
    await annotate(reportOf(cluster, load, struck));
    expect(await faultsAfter(cluster, { accepted: [...load.accepted.values()] })).toEqual([]);
  },
);
