// Processes of its own: their links to the servers are slow and lose a direction.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { campaign, reportOf } from './harness/campaign.js';
import { CAMPAIGN_TIMEOUT_MS, SEED } from './harness/campaign-length.js';
import { startCluster } from './harness/cluster.js';
import { companyWatcher } from './harness/company-watcher.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import type { Shape } from './harness/lane.js';
import { ownWays, type Way } from './harness/own-ways.js';
import { singleCallFlow } from './harness/single-call-flow.js';
import { seededRandom } from './harness/seeded-random.js';

const RUNS_PER_SECOND = 10;
const SHORT_MS = 5_000;
/** Longer than a lease: the plays of a worker that could not renew it are given to another. */
const LONG_MS = 17_000;
/** A process takes the time from answers of MongoDB: delayed answers make its time late, at most by their delay. */
const CLOCK_ERROR_MS = 3_000;
const SLOW: Shape = { delayMs: 60, jitterMs: 80 };
const NARROW: Shape = { delayMs: 20, bytesPerSecond: 60_000 };
/** Of an output that is stored in parts. */
const LARGE = 6_000_000;
const HELD: Shape = { held: true };
const cluster = await startCluster({ apps: ['api'], env: { WORKER_SLOTS: '30' } });
const { admin, ledger, mongod, redis, plays, add } = cluster;

// One API connects directly; every other process has connections of its own.
const linked = await Promise.all(
  (['api', 'worker', 'worker', 'scheduler', 'realtime'] as const).map(async (app) => {
    const ways = await ownWays(mongod, redis);
    return { ...ways, process: await add(app, { env: ways.env }) };
  }),
);
const [api, worker, other, scheduler, realtime] = linked as [Linked, Linked, Linked, Linked, Linked];
type Linked = (typeof linked)[number];
const flowId = await effectFlow(admin, ledger.url);
const largeFlowId = await singleCallFlow(admin, `${ledger.url}/large`);
answerEffects(ledger, {
  delayMs: (_call, nth) => (nth % 20 === 0 ? 3_500 : spread(nth, 500)),
  padding: ({ path }) => (path === '/large' ? 'x'.repeat(LARGE) : undefined),
});
const heard: string[] = [];
const watcher = await companyWatcher(cluster, realtime.process, async () => {
  const answer = await admin.run(flowId, { args: { n: -1 } });
  heard.push(answer.playId);
  return answer;
});
const load = insistentLoad({
  perSecond: RUNS_PER_SECOND,
  clients: [admin, admin.at(api.process.url)],
  run: (n) => ({ flowId, body: { args: { n } } }),
});
const random = seededRandom(SEED);
/** How often a worker could not renew its lease, or its lock on jobs, in time. */
let crashes = 0;

function oneOf<T>(all: readonly [T, ...T[]]): T {
  return all[Math.floor(random() * all.length)] ?? all[0];
}

async function lasts(ms: number): Promise<void> {
  const until = performance.now() + ms;
  await waitFor(() => performance.now() > until, { what: 'the fault to last', withinMs: ms + 10_000 });
}

async function shaped(ms: number, ...ways: readonly (readonly [Way, Parameters<Way['shape']>[0]])[]): Promise<void> {
  for (const [way, shapes] of ways) way.shape(shapes);
  await lasts(ms);
  for (const [way] of ways) way.mend();
}

/** While it is being stored: a part of it is, and the next part is on its way. */
async function breakWhileStoring(): Promise<void> {
  const chunks = plays.db.collection('payloads.chunks');
  const before = await chunks.estimatedDocumentCount();
  const ways = [worker.mongodb, other.mongodb];
  for (const way of ways) way.shape({ toServer: { bytesPerSecond: 500_000 } });
  heard.push((await admin.run(largeFlowId, { args: { n: -1 } })).playId);
  await waitFor(async () => (await chunks.estimatedDocumentCount()) > before, { what: 'a part to be stored' });
  for (const way of ways) way.shape({ toServer: HELD, toClient: HELD });
  await lasts(SHORT_MS / 5);
  for (const way of ways) way.cut();
  for (const way of ways) way.mend();
}

const all = (shapes: Parameters<Way['shape']>[0]) =>
  linked.flatMap(({ mongodb, redis: toRedis }) => [[mongodb, shapes] as const, [toRedis, shapes] as const]);

it(
  'keeps every promise over slow and narrow links, links that lose one direction, and half-open connections',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    const struck = await campaign(cluster, load, {
      always: {
        'all links are slow, those of one worker narrow': () =>
          shaped(
            SHORT_MS,
            ...all({ toServer: SLOW, toClient: SLOW }),
            [worker.mongodb, { toServer: NARROW, toClient: NARROW }],
            [worker.redis, { toServer: NARROW, toClient: NARROW }],
          ),
        'a worker has no MongoDB for longer than a lease, an API gets no answers of it': async () => {
          crashes += 1;
          await shaped(
            LONG_MS,
            [worker.mongodb, { toServer: HELD, toClient: HELD }],
            [api.mongodb, { toClient: HELD }],
          );
        },
        'a worker has no Redis, the other gets no answers of MongoDB, the scheduler none of Redis': () =>
          shaped(
            SHORT_MS,
            [worker.redis, { toServer: HELD, toClient: HELD }],
            [other.mongodb, { toClient: HELD }],
            [scheduler.redis, { toClient: HELD }],
          ),
        'the way breaks while a large output is stored': breakWhileStoring,
        'the servers have closed all connections, and nobody was notified': async () => {
          for (const { mongodb, redis: toRedis } of linked) {
            mongodb.abandon();
            toRedis.abandon();
          }
        },
      },
      longer: {
        'one way of one process is held for a while': async () => {
          const { process, ...ways } = oneOf([api, worker, other, scheduler, realtime]);
          const ms = oneOf([SHORT_MS / 4, SHORT_MS, LONG_MS, 2 * LONG_MS]);
          if (process.app === 'worker' && ms >= LONG_MS) crashes += 1;
          const directions = oneOf<Parameters<Way['shape']>[0]>([
            { toServer: HELD },
            { toClient: HELD },
            { toServer: HELD, toClient: HELD },
          ]);
          await shaped(ms, [oneOf([ways.mongodb, ways.redis]), directions]);
        },
        'one way of one process is held, then its connections break': async () => {
          const { process, ...ways } = oneOf([api, worker, other, scheduler, realtime]);
          if (process.app === 'worker') crashes += 1;
          const way = oneOf([ways.mongodb, ways.redis]);
          way.shape({ toServer: HELD, toClient: HELD });
          await lasts(oneOf([SHORT_MS, LONG_MS]));
          way.cut();
          way.mend();
        },
        'all links break': async () => {
          for (const { mongodb, redis: toRedis } of linked) {
            mongodb.cut();
            toRedis.cut();
          }
        },
        'answers of MongoDB take a second': () =>
          shaped(
            SHORT_MS,
            ...linked.map(({ mongodb }) => [mongodb, { toClient: { delayMs: 1_000, jitterMs: 300 } }] as const),
          ),
        'answers of Redis take a second': () =>
          shaped(
            SHORT_MS,
            ...linked.map((each) => [each.redis, { toClient: { delayMs: 1_000, jitterMs: 300 } }] as const),
          ),
      },
    });
    await load.stop();
    await annotate(reportOf(cluster, load, struck));
    const playIds = [...load.accepted.values()];
    expect(
      await faultsAfter(cluster, { accepted: [...playIds, ...heard], crashes, clockErrorMs: CLOCK_ERROR_MS }),
    ).toEqual([]);
    const keys = await plays.find({}, { projection: { flowId: 1, idempotencyKey: 1 } }).toArray();
    expect(keyFaults(keys, load.accepted)).toEqual([]);
    expect(await watcher.faults(playIds)).toEqual([]);
  },
);
