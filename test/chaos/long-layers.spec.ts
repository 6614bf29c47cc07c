// Processes of its own: workers and servers are killed under long layers.
import { waitFor, type ApiClient, type LedgerAnswer } from '@weft/testing';
import { expect, it } from 'vitest';
import { neighbourCompany } from '../e2e/harness/neighbour-company.js';
import { startCluster } from './harness/cluster.js';
import { faultsAfter } from './harness/faults.js';
import { runMany } from './harness/single-call-flow.js';

const SLOTS = 10;
/** All slots, and three times as many that wait for one. */
const LONG = 4 * SLOTS;
/** No call of these tests takes that long. */
const CALL_WITHIN_MS = 300_000;
const cluster = await startCluster({
  apps: ['api', 'worker', 'scheduler'],
  env: { WORKER_SLOTS: String(SLOTS) },
  shortTimes: true,
});
const { admin: busy, ledger, add, plays, one } = cluster;
const quiet = await neighbourCompany(cluster);
const longFlow = await flowOf(busy, '/long');
const shortFlow = await flowOf(quiet, '/short');
const accepted: string[] = [];
let worker = one('worker');
let crashes = 0;
/** The long calls that are made now. */
let held: (() => void)[] = [];
let isHeld = true;
let receipts = 0;

ledger.answerWith(async ({ path }): Promise<LedgerAnswer> => {
  if (path === '/long' && isHeld) await new Promise<void>((letGo) => held.push(letGo));
  receipts += 1;
  return { body: { receipt: `r${receipts}` } };
});

async function flowOf(client: ApiClient, path: string): Promise<string> {
  const { id } = await client.createFlow({ name: path });
  const args = { url: `${ledger.url}${path}` };
  await client.addLayer(id, { ref: 'call', appId: 'web-request', args, timeoutMs: CALL_WITHIN_MS });
  return id;
}

/** The busy company's plays occupy all slots until they are released. */
async function takeAllSlots(count: number): Promise<void> {
  isHeld = true;
  accepted.push(...(await runMany(busy, longFlow, count)));
  await waitFor(() => held.length === SLOTS, { what: 'all slots to be taken' });
}

function letGo(): void {
  isHeld = false;
  for (const end of held.splice(0)) end();
}

/** A play of the other company ends although nothing of the first one does. */
async function runShort(withinMs?: number): Promise<void> {
  const { playId } = await quiet.run(shortFlow);
  accepted.push(playId);
  await quiet.waitForPlay(playId, { state: 'DONE', withinMs });
}

it('runs a company’s plays while the long layers of another have all slots', async () => {
  await takeAllSlots(LONG);
  for (let n = 0; n < 3; n += 1) await runShort();
  expect(held).toHaveLength(SLOTS);
  letGo();
  expect(await faultsAfter(cluster, { accepted })).toEqual([]);
});

it('does so beside the suspects of a worker that died meanwhile, and loses and repeats nothing', async () => {
  await takeAllSlots(SLOTS);
  await runShort();
  await worker.kill();
  crashes += 1;
  held = [];
  worker = await add('worker');
  await waitFor(() => plays.findOne({ flowId: longFlow, crashes: 1, owner: { $exists: true } }), {
    what: 'the first of its plays to run again',
    withinMs: 60_000,
  });
  // Most of its plays wait for their turn, some of them in slots; others have the rest of the slots.
  accepted.push(...(await runMany(busy, longFlow, 2 * SLOTS)));
  await waitFor(async () => (await cluster.taken()) >= SLOTS, { what: 'all slots to be taken' });
  await runShort();
  letGo();
  expect(await faultsAfter(cluster, { accepted, crashes, withinMs: 120_000 })).toEqual([]);
});

it('calls nothing twice for what waited for a slot in a worker that was frozen', async () => {
  await takeAllSlots(SLOTS);
  const { playId: waiting } = await busy.run(longFlow);
  accepted.push(waiting);
  await waitFor(() => cluster.hasJob(waiting), { what: 'one to wait for a slot' });
  await worker.kill('SIGSTOP');
  crashes += 1;
  const second = await add('worker');
  letGo();
  await waitFor(async () => (await cluster.open(accepted)) === 0, { what: 'all plays to end', withinMs: 90_000 });
  const calls = ledger.calls.length;
  await worker.kill('SIGCONT');
  expect(await faultsAfter(cluster, { accepted, crashes })).toEqual([]);
  // it works again, as the only worker
  await second.stop();
  await runShort();
  expect(ledger.calls).toHaveLength(calls + 1);
});
