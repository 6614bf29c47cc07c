// Processes of its own: workers are killed and frozen within transactions of a database.
import { liveMariadb, livePostgres, waitFor } from '@weft/testing';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { startCluster } from './harness/cluster.js';

/** A transaction that nobody continues ends after this long. */
const STATEMENT_MS = 4_000;
const cluster = await startCluster({ apps: ['api', 'worker', 'scheduler'], shortTimes: true });
const { admin, add } = cluster;

/** One of each engine, as the test sees it. */
interface Database {
  readonly uri: string;
  /** By which the layers wait within their transactions, while the test holds a lock. */
  readonly waits: { readonly statement: string; readonly params: object };
  readonly hold: () => Promise<unknown>;
  readonly letGo: () => Promise<unknown>;
  /** Of this play. */
  readonly isWaiting: (play: string) => Promise<boolean>;
  readonly effectsOf: (play: string) => Promise<number>;
  /** Nobody holds the lock. */
  readonly isFree: () => Promise<boolean>;
}

async function postgres(): Promise<Database> {
  const { uri } = await livePostgres();
  const client = new pg.Client({ connectionString: uri, ssl: false });
  await client.connect();
  afterAll(() => client.end());
  const rows = async (text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as { n: number }[];
  await client.query("set lock_timeout = '60s'");
  await client.query('create table effects (play text not null)');
  await client.query(
    'create table weft_done (key text primary key, out text, done_at timestamptz not null default now())',
  );
  const waiting = "select 1 as n from pg_stat_activity where wait_event = 'advisory' and application_name = $1";
  const free = 'select pg_try_advisory_xact_lock(7)::int as n';
  return {
    uri,
    waits: { statement: 'select 1 as a from pg_advisory_xact_lock(:lock)', params: { lock: 7 } },
    hold: () => client.query('select pg_advisory_lock(7)'),
    letGo: () => client.query('select pg_advisory_unlock(7)'),
    isWaiting: async (play) => (await rows(waiting, [`weft:${play}`])).length === 1,
    effectsOf: async (play) =>
      (await rows('select count(*)::int as n from effects where play = $1', [play]))[0]?.n ?? 0,
    isFree: async () => (await rows(free))[0]?.n === 1,
  };
}

async function mariadb(): Promise<Database> {
  const { uri } = await liveMariadb();
  const client = await createConnection({ uri, disableEval: true });
  afterAll(() => client.end());
  const count = async (text: string, values: string[] = []): Promise<number> => {
    const [[row]] = await client.execute<RowDataPacket[]>(text, values);
    return Number(row?.n);
  };
  await client.query('create table effects (play varchar(100) not null) engine = InnoDB');
  await client.query(
    'create table weft_done (`key` varchar(255) character set ascii collate ascii_bin primary key, `out` mediumtext character set utf8mb4, done_at timestamp not null default current_timestamp) engine = InnoDB',
  );
  await client.query('create table gate (id int primary key) engine = InnoDB');
  await client.query('insert into gate values (7)');
  const holding = 'select id from gate where id = 7 for update';
  const waiting =
    "select count(*) as n from information_schema.processlist where db = database() and info like 'select id from gate%'";
  return {
    uri,
    waits: { statement: 'select id from gate where id = :lock for update', params: { lock: 7 } },
    async hold() {
      await client.beginTransaction();
      await client.query(holding);
    },
    letGo: () => client.commit(),
    // the test waits for no lock
    isWaiting: async () => (await count(waiting)) === 1,
    effectsOf: (play) => count('select count(*) as n from effects where play = ?', [play]),
    isFree: () =>
      client.query(`${holding} nowait`).then(
        () => true,
        () => false,
      ),
  };
}

describe.each([
  ['PostgreSQL', 'postgres', await postgres()],
  ['MariaDB', 'mysql', await mariadb()],
])('a transaction in %s', (_name, engine, database) => {
  let link: { readonly id: string } | undefined;

  async function flowOf(more: object): Promise<string> {
    const { username, password, host, pathname } = new URL(database.uri.replace(/^\w+:/, 'http:'));
    link ??= await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', {
      ...{ type: engine, name: 'Shop', kind: 'basic', username, password, settings: { tls: 'off' } },
      endpoint: `${engine}://${host}${pathname}`,
    });
    const { id } = await admin.createFlow();
    const write = { statement: 'insert into effects (play) values (:play)', params: { play: '{{ $play.id }}' } };
    const args = { integrationId: link.id, statements: [write, database.waits], timeoutMs: STATEMENT_MS, ...more };
    await admin.addLayer(id, { ref: 'write', appId: 'sql-transaction', args });
    return id;
  }

  /** A play whose worker is within its transaction. */
  async function begun(flowId: string): Promise<string> {
    await database.hold();
    const { playId } = await admin.run(flowId);
    await waitFor(() => database.isWaiting(playId), { what: 'the transaction to wait for the lock' });
    return playId;
  }

  const running = () => cluster.of('worker').find(({ isRunning }) => isRunning());

  it('with once takes effect once after its worker has died within it', async () => {
    const playId = await begun(await flowOf({ once: true }));
    await running()?.kill();
    await database.letGo();
    await add('worker');
    await admin.waitForPlay(playId, { state: 'DONE', withinMs: 90_000 });
    expect(await database.effectsOf(playId)).toBe(1);
  });

  it('and after its worker stood still within it, and went on when another had done it', async () => {
    const frozen = running();
    const playId = await begun(await flowOf({ once: true }));
    await frozen?.kill('SIGSTOP');
    await database.letGo();
    const second = await add('worker');
    await admin.waitForPlay(playId, { state: 'DONE', withinMs: 90_000 });
    await frozen?.kill('SIGCONT');
    await waitFor(() => frozen?.output().includes('another one has the play now') ?? false, {
      what: 'the thawed worker to find out',
    });
    expect(await database.effectsOf(playId)).toBe(1);
    await second.stop();
  });

  it('without once is not run again, and has no effect: the play says that it was interrupted', async () => {
    const playId = await begun(await flowOf({}));
    await running()?.kill();
    await database.letGo();
    await add('worker');
    const { error } = await admin.waitForPlay(playId, { state: 'FAIL', withinMs: 90_000 });
    expect(error).toMatchObject({ code: 'interrupted' });
    expect(await database.effectsOf(playId)).toBe(0);
  });

  it('that nobody continues ends while its worker stands still, and gives its locks back', async () => {
    const playId = await begun(await flowOf({ once: true }));
    const frozen = running();
    await frozen?.kill('SIGSTOP');
    await database.letGo();
    await waitFor(() => database.isFree(), { what: 'the database to end it', withinMs: 60_000 });
    expect(await database.effectsOf(playId)).toBe(0);
    await frozen?.kill('SIGCONT');
    await admin.waitForPlay(playId, { withinMs: 90_000 });
    expect(await database.effectsOf(playId)).toBeLessThanOrEqual(1);
  });
});
