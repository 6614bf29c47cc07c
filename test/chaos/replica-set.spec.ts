// Processes of its own: the members of their MongoDB are killed, frozen and cut off.
import { privateRedis, waitFor } from '@weft/testing';
import { beforeEach, expect, it } from 'vitest';
import { campaign, reportOf } from './harness/campaign.js';
import { CAMPAIGN_TIMEOUT_MS, CLOCK_MEANS } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { companyWatcher } from './harness/company-watcher.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { insistentLoad, type InsistentLoad } from './harness/insistent-load.js';
import { keyFaults } from './harness/key-faults.js';
import { startReplicaSet, type Isolation, type Member } from './harness/replica-set.js';

const RUNS_PER_SECOND = 12;
const SHORT_MS = 3_000;
/** Longer than a lease: a scheduler must consider an owner dead that has sent no heartbeat since. */
const LONG_MS = 17_000;
const CLOCK_AHEAD_MS = LONG_MS + SHORT_MS;
const set = await startReplicaSet({ clock: CLOCK_MEANS });
const redis = await privateRedis();
const cluster = await watchedFleet(
  { mongodbUri: set.uri, redisUrl: redis.uri },
  { apps: ['api', 'worker', 'worker', 'scheduler', 'realtime'], env: { WORKER_SLOTS: '40' } },
);
const { admin, ledger, plays } = cluster;
const flowId = await effectFlow(admin, ledger.url);
// One in twenty calls lasts until after its owner's first heartbeat.
answerEffects(ledger, { delayMs: (_call, nth) => (nth % 20 === 0 ? 5_000 : spread(nth, 500)) });
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

async function killPrimary(): Promise<void> {
  const killed = await set.primary();
  await killed.kill();
  await set.primary(killed);
  await killed.start();
}

async function freezePrimary(ms: number): Promise<void> {
  const frozen = await set.primary();
  await frozen.kill('SIGSTOP');
  await lasts(ms);
  await frozen.kill('SIGCONT');
}

async function isolatePrimary(kind: Isolation, late: 'arrives' | 'is lost', ms = SHORT_MS * 2): Promise<void> {
  set.isolate(await set.primary(), kind);
  await lasts(ms);
  set.join(late);
}

/** For longer than a scheduler watches MongoDB, and then an owner, before it acts. */
async function setClockAhead(member: Member | undefined): Promise<void> {
  if (!member) throw new Error('the set has no such member');
  await set.setClockAhead(member, CLOCK_AHEAD_MS);
  await lasts(LONG_MS + 3 * SHORT_MS);
  await set.setClockAhead(member, 0);
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
        'the clock of a member that is not the primary is ahead': async () => {
          const primary = await set.primary();
          await setClockAhead(set.members.find((member) => member !== primary));
        },
        'the clock of the primary steps ahead, and back': async () => setClockAhead(await set.primary()),
        'one primary after the other is killed': async () => {
          await killPrimary();
          await killPrimary();
        },
        'the primary is cut off from everybody, and what was on its way is lost': () =>
          isolatePrimary('from all', 'is lost'),
        'the primary is cut off from the other members alone': () => isolatePrimary('from members', 'arrives'),
        'the primary is frozen for longer than a lease': () => freezePrimary(LONG_MS),
      },
      longer: {
        'the primary is killed': killPrimary,
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
