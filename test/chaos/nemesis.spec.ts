// Processes of its own: everything is killed or frozen in turn.
import { waitFor, type AppName } from '@weft/testing';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, faultsInTurn, IS_WHOLE, SEED } from './harness/campaign-length.js';
import { startCluster } from './harness/cluster.js';
import { answerEffects, effectFlow, spread } from './harness/effect-flow.js';
import { faultsAfter } from './harness/faults.js';
import { startLoad } from './harness/load.js';
import { seededRandom } from './harness/seeded-random.js';

const LANES = 4;
const CALLS_OF_A_PLAY = 2;
const cluster = await startCluster({
  apps: ['api', 'worker', 'worker', 'scheduler'],
  persistentRedis: false,
  env: { WORKER_SLOTS: '5', RUN_WINDOW: '10' },
  shortTimes: true,
});
const { admin, ledger, redis, mongod, add, of, one } = cluster;
const random = seededRandom(SEED);
let crashes = 0;

function oneOf<T>(all: readonly T[]): T | undefined {
  return all[Math.floor(random() * all.length)];
}

/** In an order that the seed decides. */
function shuffled(names: readonly string[]): string[] {
  const placed = names.map((name) => ({ name, place: random() }));
  return placed.sort((a, b) => a.place - b.place).map(({ name }) => name);
}

const anyOf = (app: AppName) => oneOf(of(app).filter((process) => process.isRunning())) ?? one(app);

/** Time measured by the plays: this many more calls, or no call for a while. */
async function calls(count: number, withinMs = 4_000): Promise<void> {
  const until = ledger.calls.length + count;
  await waitFor(() => ledger.calls.length >= until, { what: 'calls', withinMs }).catch(() => undefined);
}

const NEMESIS: Readonly<Record<string, () => Promise<void>>> = {
  'a worker is killed': async () => {
    crashes += 1;
    await anyOf('worker').kill();
    await add('worker');
  },
  'a worker is stopped': async () => {
    const worker = anyOf('worker');
    await worker.kill('SIGTERM');
    await add('worker');
    await worker.ended;
  },
  'a worker is frozen for a while': async () => {
    crashes += 1;
    const worker = anyOf('worker');
    await worker.kill('SIGSTOP');
    await calls(random() * 200);
    await worker.kill('SIGCONT');
  },
  'the scheduler is killed': async () => {
    await anyOf('scheduler').kill();
    await add('scheduler');
  },
  'Redis is emptied': async () => {
    const connection = new Redis(redis.uri);
    await connection.flushall();
    await connection.quit();
  },
  'Redis is killed': async () => {
    await redis.kill();
    await calls(20);
    await redis.start();
  },
  'MongoDB is killed': async () => {
    await mongod.kill();
    await mongod.start();
  },
};

/** Of a day, other campaigns have them: rolling-restart, worker-kill. */
const ELSEWHERE = IS_WHOLE ? [] : ['a worker is stopped', 'the scheduler is killed'];

it(
  `keeps every promise under faults in a row (seed ${SEED})`,
  { timeout: CAMPAIGN_TIMEOUT_MS + 360_000 },
  async ({ annotate }) => {
    const flowId = await effectFlow(admin, ledger.url);
    answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 400) });
    const after = new AbortController();
    const run = async (n: number) => {
      const { playId } = await admin.run(flowId, { args: { n } });
      // No faster than plays are executed, so that only what a fault delays has to be done after the last one.
      await calls(CALLS_OF_A_PLAY * LANES, 500);
      return playId;
    };
    const load = startLoad(Infinity, LANES, run, after.signal);
    const happened: string[] = [];
    const all = Object.keys(NEMESIS);
    for (const name of faultsInTurn(shuffled(all.filter((one) => !ELSEWHERE.includes(one))), all)) {
      const from = performance.now();
      await calls(30);
      await NEMESIS[name]?.();
      happened.push(`${name} (${Math.round((performance.now() - from) / 100) / 10} s)`);
    }
    after.abort();
    await load.done;

    const accepted = load.answered.map(({ value }) => value);
    const unanswered = load.unanswered.length;
    await annotate(`${accepted.length} plays accepted, ${unanswered} runs unanswered; ${happened.join(', ')}`);
    expect(await faultsAfter(cluster, { accepted, unanswered, crashes, withinMs: 150_000 })).toEqual([]);
  },
);
