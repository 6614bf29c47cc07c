// Processes of its own: all that one site has of them is killed at the same moment, with Redis and MongoDB's primary.
import { privateRedis, waitFor, type AppName } from '@weft/testing';
import { expect, it } from 'vitest';
import { watchedFleet } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { startReplicaSet } from './harness/replica-set.js';

const RUNS_PER_SECOND = 10;
const ACCEPTED_BEFORE = 40;
const ACCEPTED_AFTER = 20;
/** In the order of docs/deploy/questions.md. */
const APPS: readonly AppName[] = ['api', 'scheduler', 'worker', 'realtime'];

/** A member in each of three sites. */
const set = await startReplicaSet();
const redis = await privateRedis({ persistent: false });
const site = await watchedFleet({ mongodbUri: set.uri, redisUrl: redis.uri }, { apps: APPS });
const flowId = await effectFlow(site.admin, site.ledger.url);
answerEffects(site.ledger, { delayMs: (_call, nth) => spread(nth, 500) });

it('loses nothing with a site: another has all of it, with an empty Redis', async ({ annotate }) => {
  const load = insistentLoad({
    ...{ perSecond: RUNS_PER_SECOND, clients: [site.admin] },
    run: (n) => ({ flowId, body: { args: { n } } }),
  });
  await waitFor(() => load.accepted.size >= ACCEPTED_BEFORE, { what: 'runs', withinMs: 60_000 });
  const member = await set.primary();
  const processes = APPS.map((app) => site.one(app));
  const lostAt = performance.now();
  const since = (): string => `${((performance.now() - lostAt) / 1_000).toFixed(1)} s`;
  await Promise.all([member, redis, ...processes].map((each) => each.kill()));
  const accepted = load.accepted.size;

  await set.primary(member);
  const elected = since();
  // where clients look for the site that is lost
  await redis.start();
  for (const app of APPS) await site.add(app, { port: site.one(app).port });
  await waitFor(() => load.accepted.size > accepted, { what: 'a run', withinMs: 60_000 });
  const answered = since();
  await waitFor(() => load.accepted.size >= accepted + ACCEPTED_AFTER, { what: 'runs', withinMs: 60_000 });
  await load.stop();
  const plays = [...load.accepted.values()];
  expect(await faultsAfter(site, { accepted: plays, crashes: 1 })).toEqual([]);
  await annotate(
    `primary after ${elected}, runs accepted after ${answered}, all ${plays.length} ended after ${since()}`,
  );
  const stored = await site.plays.find({}, { projection: { flowId: 1, idempotencyKey: 1 } }).toArray();
  expect(keyFaults(stored, load.accepted)).toEqual([]);
});
