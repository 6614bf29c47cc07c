// Processes of its own: a worker is killed at each step of the lock of docs/recipes.md, and another one is frozen past its lease.
import { KV_STORES, type KvDocument } from '@weft/records';
import { waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';
import { fencedPeer } from './harness/fenced-peer.js';
import { lostAnswers } from './harness/lost-answers.js';
import { ownWays } from './harness/own-ways.js';

/** At each shelf whose holder loses its worker. */
const WAITING = 2;
/** In the place of five minutes: at the shelves whose lock ends while a play still believes in it. */
const SHORT_TTL_MS = 2_000;
/** What a worker logs when it finds out that it does not own a play any more. */
const LOST = 'another one has the play now';

const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], shortTimes: true });
const { admin, ledger, plays } = cluster;
const peer = fencedPeer(ledger);
const answers = lostAnswers();
const client = await mongoose.mongo.MongoClient.connect(cluster.mongod.uri, { maxPoolSize: 1 });
afterAll(() => client.close());
const entries = client.db(cluster.servers.mongodbDb).collection<KvDocument>(KV_STORES);

interface LockDocument {
  readonly layers: readonly { readonly ref: string; readonly args: object }[];
}

/** The flow of the recipe, as it is but for its time to live. */
async function lockFlow(key: string, ttlMs?: number): Promise<string> {
  const recipe = new URL('../../docs/examples/recipes/lock.json', import.meta.url);
  const document = JSON.parse(await readFile(recipe, 'utf8')) as LockDocument;
  const shorter = (args: object) => ('ttlMs' in args && ttlMs !== undefined ? { ...args, ttlMs } : args);
  const layers = document.layers.map((layer) => ({ ...layer, args: shorter(layer.args) }));
  const body = { ...document, layers, blueprintVars: { warehouse: ledger.url } };
  const { id } = await admin.must<{ id: string }>(201, 'PUT', `/api/v1/flows/by-key/${key}/document`, body);
  await admin.must(200, 'PATCH', `/api/v1/flows/${id}`, { enabled: true });
  return id;
}

const [flowId, shortFlowId] = [await lockFlow('lock'), await lockFlow('short-lock', SHORT_TTL_MS)];

async function runAt(shelf: string, of = flowId): Promise<string> {
  return (await admin.run(of, { args: { shelf } })).playId;
}

/** Plays that find the lock taken. */
async function waitAt(...shelves: readonly string[]): Promise<void> {
  const all = shelves.flatMap((shelf) => Array.from({ length: WAITING }, () => runAt(shelf)));
  const ids = await Promise.all(all);
  const seen = new Set<string>();
  const allHavePaused = async () => {
    for (const { _id } of await plays.find({ _id: { $in: ids }, 'waits.0.kind': 'repeat' }).toArray()) seen.add(_id);
    return seen.size === ids.length;
  };
  await waitFor(allHavePaused, { what: 'the plays that wait for a lock to hold no slot' });
}

const versionOf = async (shelf: string) =>
  (await entries.findOne({ key: `locks.${shelf}`, value: { $ne: null } }))?.updatedAt.getTime() ?? null;

/** A program takes the lock when its time is over, as docs/kv.md says. @returns its version, which is its token */
async function takenByProgram(shelf: string): Promise<number> {
  const path = `/api/v1/kv/locks.${shelf}`;
  const take = async () => (await admin.send('PUT', path, { value: 'program' }, { 'if-none-match': '*' })).status;
  await waitFor(async () => (await take()) === 200, { what: `the lock of ${shelf} to end` });
  return (await versionOf(shelf)) ?? 0;
}

it('keeps the lock of the recipe with one play at a time, and loses no count, whichever step a worker dies or freezes at', async () => {
  // a worker freezes while a play of it holds the lock
  const atFrozen = peer.hold('frozen', 'once it is counted');
  const frozen = cluster.one('worker');
  await Promise.all([runAt('frozen'), atFrozen.begun]);
  await waitAt('frozen');
  await frozen.kill('SIGSTOP');
  atFrozen.end();

  // another one dies while it has a holder at each step
  const ways = await ownWays(cluster.mongod, cluster.redis, answers.rewrite);
  const dying = await cluster.add('worker', { env: ways.env });
  const atOutlived = peer.hold('outlived', 'once it is counted'); // its time is over before its call is
  const [outlived] = await Promise.all([runAt('outlived', shortFlowId), atOutlived.begun]);
  const tokens = { outlived: await takenByProgram('outlived'), late: 0 };
  atOutlived.end();
  await admin.waitForPlay(outlived, { state: 'DONE' });
  expect(await versionOf('outlived')).toBe(tokens.outlived);
  const atCalled = peer.hold('called', 'before it is counted');
  const atCounted = peer.hold('counted', 'once it is counted'); // and nobody knows it
  const steps = [
    atCalled.begun,
    atCounted.begun,
    answers.lose('locks.taken', 'set'), // who has it does not know it
    answers.lose('locks.given', 'deleted'), // who has given it back does not know it
    answers.lose('locks.late', 'set'), // its time will be over when it is known
  ];
  const shelves = ['called', 'counted', 'taken', 'given'];
  const holders = await Promise.all(shelves.map((shelf) => runAt(shelf)));
  const late = await runAt('late', shortFlowId);
  await Promise.all(steps);
  await waitAt('called', 'counted', 'taken');
  await dying.kill();
  for (const held of [atCalled, atCounted]) held.end();
  tokens.late = await takenByProgram('late');
  await fetch(`${ledger.url}/shelves/late/count`, {
    method: 'POST',
    headers: { 'x-fencing-token': String(tokens.late), 'idempotency-key': 'program' },
  });

  // each play goes on, and the lock with it
  await cluster.add('worker');
  const open = () => plays.countDocuments({ completedAt: { $exists: false } });
  await waitFor(async () => (await open()) === 0, { what: 'all plays to end' });
  expect(peer.overlaps).toEqual([]);
  for (const id of holders) expect(await admin.play(id)).toMatchObject({ state: 'DONE' });

  // the frozen one finds out, and does nothing to who has the lock then
  const atThawed = peer.hold('frozen', 'once it is counted');
  const last = await runAt('frozen');
  await atThawed.begun;
  const token = await versionOf('frozen');
  const before = ledger.calls.length;
  await frozen.kill('SIGCONT');
  await waitFor(() => frozen.output().includes(LOST), { what: 'the thawed worker to find out' });
  expect(await versionOf('frozen')).toBe(token);
  expect(ledger.calls.length).toBe(before);
  atThawed.end();
  await admin.waitForPlay(last, { state: 'DONE' });

  expect(peer.overlaps).toEqual([]);
  for (const shelf of ['taken', 'called', 'counted']) expect(peer.counted(shelf), shelf).toBe(1 + WAITING);
  expect(peer.counted('frozen')).toBe(2 + WAITING);
  expect(peer.counted('given')).toBe(1);
  // whose time was over is refused by its token, and nobody else is
  expect(peer.refused).toEqual(['late']);
  expect(await admin.play(late)).toMatchObject({ state: 'FAIL', error: { code: 'bad_status' } });
  expect(await plays.countDocuments({ state: { $ne: 'DONE' } })).toBe(1);
  for (const shelf of [...shelves, 'frozen']) expect(await versionOf(shelf), shelf).toBeNull();
  for (const shelf of ['late', 'outlived'] as const) expect(await versionOf(shelf)).toBe(tokens[shelf]);
});
