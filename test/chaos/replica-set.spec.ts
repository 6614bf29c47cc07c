// Processes of its own: the members of their MongoDB are killed, frozen and cut off.
import { privateRedis, waitFor } from '@weft/testing';
import { beforeEach, expect, it } from 'vitest';
import { campaign, reportOf } from './harness/campaign.js';
import { CAMPAIGN_TIMEOUT_MS, CLOCK_MEANS, IS_WHOLE } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { companyWatcher } from './harness/company-watcher.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad, type InsistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { startReplicaSet, type Isolation } from './harness/replica-set.js';
import { TIMES } from './harness/short-times.js';

const RUNS_PER_SECOND = IS_WHOLE ? 8 : 2;
/** Each process has asked every member for its time twice. */
const SHORT_MS = 4_000;
/** Longer than a scheduler watches MongoDB, and meanwhile an owner, before it takes the owner for dead. */
const LONG_MS = TIMES.leaseMs + TIMES.renewMs + 1_000;
/** By more than a lease, and by more than what a process waits out when a clock is set back (libs/store). */
const CLOCK_AHEAD_MS = 20_000;
/** After a fault, this many runs are accepted before the next thing happens. */
const SOME_RUNS = IS_WHOLE ? 10 : 3;
const set = await startReplicaSet({ clock: CLOCK_MEANS });
const redis = await privateRedis();
const cluster = await watchedFleet(
  { mongodbUri: set.uri, redisUrl: redis.uri },
  { apps: ['api', 'worker', 'worker', 'scheduler', 'realtime'], env: { WORKER_SLOTS: '40' }, shortTimes: true },
);
const { admin, ledger, plays } = cluster;
const flowId = await effectFlow(admin, ledger.url);
// One in twenty calls lasts until after its owner's first heartbeat.
answerEffects(ledger, { delayMs: (_call, nth) => (nth % 20 === 0 ? TIMES.renewMs + 1_000 : spread(nth, 500)) });
const accepted = new Map<string, string>();
const heard: string[] = [];
const watcher = await companyWatcher(cluster, cluster.one('realtime'), async () => {
  const answer = await admin.run(flowId, { args: { n: -1 } });
  heard.push(answer.playId);
  return answer;
});
let load: InsistentLoad;

beforeEach(() => {
  const run = (n: number) => ({ flowId, body: { args: { n } } });
  load = insistentLoad({ perSecond: RUNS_PER_SECOND, clients: [admin], accepted, run });
  return () => load.stop();
});

async function lasts(ms: number): Promise<void> {
  const until = performance.now() + ms;
  await waitFor(() => performance.now() > until, { what: 'the fault to last', withinMs: ms + 10_000 });
}

/** The set takes writes, as processes see it. */
async function someRuns(): Promise<void> {
  const until = accepted.size + SOME_RUNS;
  await waitFor(() => accepted.size >= until, { what: 'runs to be accepted' });
}

async function freezePrimary(ms: number): Promise<void> {
  const frozen = await set.primary();
  await frozen.kill('SIGSTOP');
  await lasts(ms);
  await frozen.kill('SIGCONT');
}

/** Until another has its place, and processes know. */
async function isolatePrimary(kind: Isolation, late: 'arrives' | 'is lost', ms = 0): Promise<void> {
  const before = await set.primary();
  set.isolate(before, kind);
  await set.primary(before);
  await someRuns();
  await lasts(ms);
  set.join(late);
}

/** Of a member that nobody asks, then of the primary for longer than a lease; it is set back, too, and another clock counts. */
async function setClockAhead(): Promise<void> {
  const member = await set.secondary();
  await set.setClockAhead(member, CLOCK_AHEAD_MS);
  await lasts(SHORT_MS);
  await set.promote(member);
  await someRuns();
  await lasts(LONG_MS);
  await set.setClockAhead(member, 0);
  await lasts(SHORT_MS);
  await set.replacePrimary();
}

/** Nothing lost, nothing repeated, one play per key, each event once. */
async function allFaults(): Promise<string[]> {
  await load.stop();
  const playIds = [...accepted.values()];
  return [
    ...(await faultsAfter(cluster, { accepted: [...playIds, ...heard], clockErrorMs: CLOCK_AHEAD_MS + SHORT_MS })),
    ...keyFaults(await plays.find({}, { projection: { flowId: 1, idempotencyKey: 1 } }).toArray(), accepted),
    ...(await watcher.faults(playIds)),
  ];
}

it(
  'keeps every promise while clocks differ, and primaries are killed, frozen and cut off',
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async ({ annotate }) => {
    const struck = await campaign(cluster, load, {
      always: {
        'the clock of a member is ahead, also when the primary is killed and it takes its place; it steps back, and is killed':
          setClockAhead,
        'the primary is cut off from everybody, and what was on its way is lost': () =>
          isolatePrimary('from all', 'is lost'),
        'the primary is cut off from the other members alone': () => isolatePrimary('from members', 'arrives'),
        'the primary is frozen for longer than a lease': () => freezePrimary(TIMES.leaseMs + 1_000),
      },
      longer: {
        'the primary is killed': () => set.replacePrimary(),
        'the primary is frozen for a while': () => freezePrimary(SHORT_MS),
        'the primary is cut off for longer than a lease, and what was on its way arrives late': () =>
          isolatePrimary('from all', 'arrives', LONG_MS),
        'all members are frozen for a while': async () => {
          await Promise.all(set.members.map((member) => member.kill('SIGSTOP')));
          await lasts(SHORT_MS);
          await Promise.all(set.members.map((member) => member.kill('SIGCONT')));
        },
      },
    });
    await load.stop();
    await annotate(reportOf(cluster, load, struck));
    expect(await allFaults()).toEqual([]);
  },
);
