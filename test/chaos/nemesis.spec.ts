import { waitFor, type SpawnedProcess } from '@weft/testing';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { seededRandom } from './harness/seeded-random.js';
import { startLoad } from './harness/load.js';

/** Another one by WEFT_CHAOS_SEED; every seed that found something becomes a test of its own. */
const SEED = Number(process.env.WEFT_CHAOS_SEED ?? 20_261_121);
const FAULTS = Number(process.env.WEFT_CHAOS_FAULTS ?? 8);
const cluster = await startCluster({
  apps: ['api', 'worker', 'worker', 'scheduler'],
  persistentRedis: false,
  env: { WORKER_SLOTS: '10', RUN_WINDOW: '20' },
});
const { admin, ledger, redis, mongod, add, of } = cluster;

it(`keeps every promise under ${FAULTS} faults in a row, seed ${SEED}`, { timeout: 600_000 }, async () => {
  const random = seededRandom(SEED);
  const flowId = await effectFlow(admin, ledger.url);
  answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 400) });
  let crashes = 0;
  let over = false;
  const running = (app: 'worker' | 'scheduler'): SpawnedProcess => {
    const alive = of(app).filter((process) => process.isRunning());
    return alive[Math.floor(random() * alive.length)] ?? cluster.one(app);
  };
  /** Until that many more calls have come, or none come any more: time as the plays count it. */
  const someCalls = async (count: number): Promise<void> => {
    const before = ledger.calls.length;
    await waitFor(() => ledger.calls.length >= before + count, { what: 'calls', withinMs: 4_000 }).catch(() => undefined);
  };
  const nemesis: Record<string, () => Promise<void>> = {
    'a worker is killed': async () => {
      crashes += 1;
      await running('worker').kill();
      await add('worker');
    },
    'a worker is stopped': async () => {
      const worker = running('worker');
      await worker.kill('SIGTERM');
      await add('worker');
      await worker.ended;
    },
    'a worker is frozen for a while': async () => {
      crashes += 1;
      const worker = running('worker');
      await worker.kill('SIGSTOP');
      await someCalls(Math.floor(random() * 200));
      await worker.kill('SIGCONT');
    },
    'the scheduler is killed': async () => {
      await running('scheduler').kill();
      await add('scheduler');
    },
    'Redis is emptied': async () => {
      const connection = new Redis(redis.uri);
      await connection.flushall();
      await connection.quit();
    },
    'Redis is killed': async () => {
      await redis.kill();
      await someCalls(20);
      await redis.start();
    },
    'MongoDB is killed': async () => {
      await mongod.kill();
      await mongod.start();
    },
  };
  const load = startLoad(100_000, 4, async (n) => {
    if (over) throw new Error('over');
    const { playId } = await admin.run(flowId, { args: { n } });
    await waitFor(() => ledger.calls.length > n || over, { what: 'the others to come along', withinMs: 2_000 }).catch(() => undefined);
    return playId;
  });
  const happened: string[] = [];
  for (let i = 0; i < FAULTS; i += 1) {
    await someCalls(60);
    const names = Object.keys(nemesis);
    const name = names[Math.floor(random() * names.length)] ?? '';
    happened.push(name);
    await nemesis[name]?.();
  }
  over = true;
  await load.done;
  const sent = load.unanswered.filter(({ error }) => (error as Error).message !== 'over').length;
  const accepted = load.answered.map(({ value }) => value);
  const faults = await faultsAfter(cluster, { accepted, unanswered: sent, crashes, withinMs: 150_000 });
  expect({ faults, happened, plays: accepted.length }).toEqual({ faults: [], happened, plays: accepted.length });
  console.info(happened, accepted.length, sent);
});
