// Processes of its own: workers are killed and frozen within transactions of a database.
import { livePostgres, waitFor } from '@weft/testing';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';

/** Which the layers wait for within their transactions, and the test has. */
const LOCK = 7;
/** A transaction that nobody continues ends after this long. */
const STATEMENT_MS = 4_000;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], shortTimes: true });
const { admin, add, one } = cluster;
const { uri } = await livePostgres();
const database = new pg.Client({ connectionString: uri, ssl: false });
await database.connect();
afterAll(() => database.end());
await database.query("set lock_timeout = '60s'");
await database.query('create table effects (play text not null)');
await database.query(
  'create table weft_done (key text primary key, out text, done_at timestamptz not null default now())',
);

const { username, password, host, pathname } = new URL(uri.replace('postgres:', 'http:'));
const link = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', {
  ...{ type: 'postgres', name: 'Shop', kind: 'basic', username, password, settings: { tls: 'off' } },
  endpoint: `postgres://${host}${pathname}`,
});

async function flowOf(more: object): Promise<string> {
  const { id } = await admin.createFlow();
  const write = { statement: 'insert into effects (play) values (:play)', params: { play: '{{ $play.id }}' } };
  const wait = { statement: 'select 1 as a from pg_advisory_xact_lock(:lock)', params: { lock: LOCK } };
  const args = { integrationId: link.id, statements: [write, wait], timeoutMs: STATEMENT_MS, ...more };
  await admin.addLayer(id, { ref: 'write', appId: 'sql-transaction', args });
  return id;
}

const effectsOf = async (play: string): Promise<number> => {
  const { rows } = await database.query<{ n: number }>('select count(*)::int as n from effects where play = $1', [
    play,
  ]);
  return rows[0]?.n ?? 0;
};

/** A play whose worker is within its transaction. */
async function begun(flowId: string): Promise<string> {
  await database.query('select pg_advisory_lock($1)', [LOCK]);
  const { playId } = await admin.run(flowId);
  const waits = "select 1 from pg_stat_activity where wait_event = 'advisory' and application_name = $1";
  await waitFor(async () => (await database.query(waits, [`weft:${playId}`])).rows.length === 1, {
    what: 'the transaction to wait for the lock',
  });
  return playId;
}

const letGo = () => database.query('select pg_advisory_unlock($1)', [LOCK]);

it('a transaction with once takes effect once after its worker has died within it', async () => {
  const playId = await begun(await flowOf({ once: true }));
  await one('worker').kill();
  await letGo();
  await add('worker');
  await admin.waitForPlay(playId, { state: 'DONE', withinMs: 90_000 });
  expect(await effectsOf(playId)).toBe(1);
});

it('and after its worker stood still within it, and went on when another had done it', async () => {
  const frozen = cluster.of('worker').find(({ isRunning }) => isRunning());
  const playId = await begun(await flowOf({ once: true }));
  await frozen?.kill('SIGSTOP');
  await letGo();
  const second = await add('worker');
  await admin.waitForPlay(playId, { state: 'DONE', withinMs: 90_000 });
  await frozen?.kill('SIGCONT');
  await waitFor(() => frozen?.output().includes('another one has the play now') ?? false, {
    what: 'the thawed worker to find out',
  });
  expect(await effectsOf(playId)).toBe(1);
  await second.stop();
});

it('without once it is not run again, and has no effect: the play says that it was interrupted', async () => {
  const playId = await begun(await flowOf({}));
  await cluster
    .of('worker')
    .find(({ isRunning }) => isRunning())
    ?.kill();
  await letGo();
  await add('worker');
  const { error } = await admin.waitForPlay(playId, { state: 'FAIL', withinMs: 90_000 });
  expect(error).toMatchObject({ code: 'interrupted' });
  expect(await effectsOf(playId)).toBe(0);
});
