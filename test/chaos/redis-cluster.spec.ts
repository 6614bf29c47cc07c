// Processes of its own: the servers of their Redis Cluster are killed, emptied, and exchange slots.
import { openChannels, openRedis, publish, QueueKeys } from '@weft/redis';
import { privateMongod, waitFor } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { campaign, reportOf } from './harness/campaign.js';
import { CAMPAIGN_TIMEOUT_MS } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad } from './harness/insistent-load.js';
import { redisCluster } from './harness/redis-cluster.js';

const SHARDS = 3;
/** Few, so that plays wait in Redis when it loses them. */
const SLOTS = 12;
const SLOW_MS = 2_000;
const redis = await redisCluster();
const cluster = await watchedFleet(
  { mongodbUri: (await privateMongod()).uri, redisUrl: redis.uri },
  {
    apps: ['api', 'worker', 'worker', 'scheduler'],
    env: { WORKER_SLOTS: String(SLOTS), QUEUE_SHARDS: String(SHARDS) },
    shortTimes: true,
  },
);
const { admin, ledger } = cluster;
const queues = new QueueKeys(cluster.servers.queuePrefix, SHARDS);
const jobs = Array.from({ length: SHARDS }, (_, shard) => queues.jobs(shard, 'wait'));
const [first = '', second = ''] = jobs;

/** One listener over all faults, to the channel of the slot that is struck. */
const channels = openChannels(redis.uri, 'spec');
const publisher = openRedis(redis.uri, 'commands', 'spec');
afterAll(() => [channels.close(), publisher.disconnect()]);
const heard = new Set<string>();
channels.subscribe(first, (message) => heard.add(message));
let gaps = 0;
channels.onGap(() => (gaps += 1));
const hears = (message: string) =>
  waitFor(async () => (await publish(publisher, first, message).catch(() => 0)) === 1 && heard.has(message), {
    what: `the message "${message}"`,
  });

const flowId = await effectFlow(admin, ledger.url);
let slowMs = 0;
answerEffects(ledger, { delayMs: (_call, nth) => slowMs + spread(nth, 500) });
/** Empties a primary when most of the plays in the queues have no worker. */
async function loseJobs(): Promise<void> {
  slowMs = SLOW_MS;
  await waitFor(async () => (await cluster.jobs()) > 4 * SLOTS, { what: 'plays to wait in Redis' });
  await redis.wipe(second);
  slowMs = 0;
}
const load = insistentLoad({ perSecond: 12, clients: [admin], run: (n) => ({ flowId, body: { args: { n } } }) });

it(
  'loses nothing while primaries of a Redis Cluster are killed and emptied, and slots move',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    await hears('before');
    const gapsBefore = gaps;
    const always = {
      'the slots of all queues move to other primaries': () => redis.moveSlots(jobs),
      'a primary is killed, and its standby takes over': () => redis.failOver(first),
      'a primary is emptied': loseJobs,
    };
    const struck = await campaign(cluster, load, { always });
    await load.stop();
    await annotate(reportOf(cluster, load, struck));
    expect(await faultsAfter(cluster, { accepted: [...load.accepted.values()] })).toEqual([]);
    expect(await cluster.plays.countDocuments({ epoch: { $gt: 1 } })).toBeGreaterThan(0);
    await hears('after');
    expect(gaps).toBeGreaterThanOrEqual(gapsBefore + 2);
    expect(channels.isConnected()).toBe(true);
    const ports = await Promise.all(jobs.map((key) => redis.portOf(key)));
    expect(new Set(ports).size).toBeGreaterThan(1);
  },
);
