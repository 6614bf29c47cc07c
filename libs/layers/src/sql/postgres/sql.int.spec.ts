import { createEgressDialer } from '@weft/egress';
import { livePostgres, PRIVATE_CA, waitFor } from '@weft/testing';
import { once as event } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkConnection } from '../../check-connection.js';
import { layerContext } from '../../layer-context.fixture.js';
import type { LayerFiles } from '../../layer-module.js';
import { sql } from '../../modules/sql/sql.layer.js';
import { sqlTransaction } from '../../modules/sql-transaction/sql-transaction.layer.js';
import { once, ownStatement } from '../once.js';
import { failureOf, linkTo, poolsOver, runSql, type SqlRun } from '../sql.fixture.js';

const server = await livePostgres();
const sockets = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port: server.port }] });
let open = 0;
const pools = poolsOver(sockets, (count) => {
  open = count;
});
const link = linkTo(server.uri);
const at: SqlRun = { pools, link };

const run = (statement: string, args: Readonly<Record<string, unknown>> = {}, how: SqlRun = at) =>
  runSql(sql, { statement, ...args }, how);
const fails = (statement: string, args: Readonly<Record<string, unknown>> = {}, how: SqlRun = at) =>
  failureOf(run(statement, args, how));
const transact = (statements: readonly unknown[], args: Readonly<Record<string, unknown>> = {}, how: SqlRun = at) =>
  runSql(sqlTransaction, { statements, ...args }, how);
const count = async (table: string) => (await run(`select count(*)::int as n from ${table}`)).rows as { n: number }[];

const stored: { content: Buffer; contentType: string; filename: string | null }[] = [];
const files: LayerFiles = {
  open: () => Promise.reject(new Error('no file is opened')),
  store: async (content, label) => {
    stored.push({ content: await buffer(content), ...label });
    return { $ref: `file:${stored.length - 1}`, ...label, bytes: 0 } as never;
  },
};
const withFiles: SqlRun = { ...at, context: { files } };

beforeAll(async () => {
  await run('create table items (id int primary key, name text unique, price numeric)', { mode: 'none' });
  await run('create table weft_done (key text primary key, out text, done_at timestamptz not null default now())', {
    mode: 'none',
  });
});

/** Leads to the server, and ends the connection when the server answers what has this word. */
async function cutAfter(word: string): Promise<{ readonly port: number; readonly close: () => void }> {
  const open = new Set<Socket>();
  const between = createServer((client) => {
    const behind = connect(server.port, '127.0.0.1');
    let isSent = false;
    for (const socket of [client, behind]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.on('data', (data) => {
      isSent ||= data.includes(word);
      behind.write(data);
    });
    behind.on('data', (data) => void (isSent ? client.destroy() : client.write(data)));
    client.on('close', () => behind.destroy());
  }).listen(0, '127.0.0.1');
  await event(between, 'listening');
  const close = (): void => {
    between.close();
    for (const socket of open) socket.destroy();
  };
  return { port: (between.address() as AddressInfo).port, close };
}

describe('values', () => {
  it('come without loss', async () => {
    const { rows, fields } = await run(
      `select 9223372036854775807::int8 as big, 1.10::numeric as exact, 0.1::float8 as near, 'NaN'::float8 as nan,
        timestamptz '2026-11-28 22:32:45.476192+00' as at, timestamp '2026-11-28 22:32:45' as local, date '2026-11-28' as day,
        interval '1 day 2 hours' as span, '{"a": [1, null]}'::jsonb as doc, '\\x00ff'::bytea as raw, array[1, null, 3] as list,
        array['a,b', 'c"d'] as texts, null::int as nothing, true as yes`,
    );
    expect(rows).toEqual([
      {
        ...{ big: '9223372036854775807', exact: '1.10', near: 0.1, nan: 'NaN', at: '2026-11-28T22:32:45.476192+00:00' },
        ...{ local: '2026-11-28T22:32:45', day: '2026-11-28', span: '1 day 02:00:00', doc: { a: [1, null] } },
        ...{ raw: 'AP8=', list: [1, null, 3], texts: ['a,b', 'c"d'], nothing: null, yes: true },
      },
    ]);
    expect(fields).toContainEqual({ name: 'big', type: 'bigint' });
  });

  it('go as they are, whatever is in them', async () => {
    const text = `'; drop table items; -- $1 :a ${String.raw`\ "`} 😀,a,b`;
    const params = {
      text,
      list: [1, 2, 3],
      doc: { a: [1] },
      items: [{ a: 1 }],
      nothing: null,
      big: 7615917337495251231n,
    };
    const { rows } = await run(
      `select :text as text, :list::int[] as list, :doc::jsonb as doc, :items::jsonb as items, :nothing::text as nothing,
        :big::int8 as big, 2 = any(:list::int[]) as has`,
      { params },
    );
    expect(rows).toEqual([
      {
        text,
        list: [1, 2, 3],
        doc: { a: [1] },
        items: [{ a: 1 }],
        nothing: null,
        big: '7615917337495251231',
        has: true,
      },
    ]);
  });

  it('of a list are those of numbered places', async () => {
    expect((await run('select $2::int - $1::int as n', { params: [1, 3] })).rows).toEqual([{ n: 2 }]);
  });

  it('that are long come as they are, also in lists', async () => {
    const long = 'ab"\\'.repeat(1_000_000);
    const { rows } = await run('select :long::text as long, array[:long::text] as list', { params: { long } });
    expect((rows as { long: string; list: string[] }[])[0]).toEqual({ long, list: [long] });
  });

  it('that are long bytes become a file', async () => {
    const { rows } = await run("select convert_to(repeat('x', 300000), 'UTF8') as raw", {}, withFiles);
    expect(rows).toMatchObject([{ raw: { $ref: expect.stringMatching(/^file:/) as string } }]);
    expect(stored.at(-1)?.content.byteLength).toBe(300_000);
  });

  it('with one name for two columns are refused', async () => {
    expect(await fails('select 1 as a, 2 as a')).toMatchObject({
      code: 'invalid_args',
      message: expect.stringMatching(/two columns/) as string,
    });
    expect((await run('select 1 as a')).rows).toEqual([{ a: 1 }]);
  });
});

describe('a statement', () => {
  it('is one, with and without params', async () => {
    for (const params of [{}, { a: 1 }]) {
      const text = `select ${'a' in params ? ':a::int' : '1'} as a; drop table items`;
      expect(await fails(text, { params })).toMatchObject({
        code: 'sql_failed',
        out: { sqlState: '42601' },
        isPassing: false,
      });
    }
    expect(await count('items')).toEqual([{ n: 0 }]);
  });

  it('fails with more rows than it may have, and what it changed is taken back', async () => {
    const text = 'insert into items (id) select generate_series(1, 5) returning id';
    expect(await fails(text, { maxRows: 4 })).toMatchObject({ code: 'too_many_rows' });
    expect(await fails('select generate_series(1, 2) as n', { mode: 'one' })).toMatchObject({ code: 'too_many_rows' });
    expect(await count('items')).toEqual([{ n: 0 }]);
    for (const most of [4, 1_000, 1_001]) {
      const found = await run('select generate_series(1, :most::int) as n', { maxRows: most, params: { most } });
      expect(found.rowCount).toBe(most);
    }
  });

  it('fails with more bytes than a result may have', async () => {
    const text = "select repeat('x', 1000000) as x from generate_series(1, 20)";
    expect(await fails(text)).toMatchObject({ code: 'output_too_large' });
    expect(await fails("select repeat('x', 17000000) as x")).toMatchObject({ code: 'output_too_large' });
  });

  it('ends at its time limit, by the server and by a cancel', async () => {
    const begun = performance.now();
    expect(await fails('select pg_sleep(30)', { timeoutMs: 200 })).toMatchObject({
      code: 'timeout',
      out: { sqlState: '57014' },
    });
    const over = AbortSignal.timeout(300);
    expect(await fails('select pg_sleep(31)', {}, { ...at, context: { signal: over } })).toMatchObject({
      code: 'cancelled',
    });
    expect(performance.now() - begun).toBeLessThan(20_000);
    await waitFor(
      async () => {
        const { rows } = await run(
          "select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(3%' and state = 'active' and pid <> pg_backend_pid()",
        );
        return (rows as { n: number }[])[0]?.n === 0;
      },
      { what: 'the server to have ended both statements' },
    );
  });

  it('says which failures may pass', async () => {
    expect(await fails('select * from nowhere')).toMatchObject({
      code: 'sql_failed',
      isPassing: false,
      message: expect.stringMatching(/42P01.*nowhere/) as string,
    });
    expect(await fails("do $$ begin raise exception using errcode = '40001'; end $$", { mode: 'none' })).toMatchObject({
      ...{ code: 'sql_failed', isPassing: true, out: { sqlState: '40001' } },
    });
  });

  it('copies nothing', async () => {
    await expect(run('copy items to stdout')).rejects.toThrow(/COPY is not a query/);
  });

  it('runs once for each of many params, in one transaction', async () => {
    const text = 'insert into items (id, name) values (:id, :name)';
    const two = [
      { id: 1, name: 'a', other: 1 },
      { id: 2, name: 'a' },
    ];
    const failure = await fails(text, { mode: 'many', params: two });
    expect(failure).toMatchObject({
      code: 'constraint_violated',
      out: { sqlState: '23505', constraint: 'items_name_key' },
    });
    expect(failure.message).not.toContain('(a)');
    expect(await count('items')).toEqual([{ n: 0 }]);
    const params = Array.from({ length: 300 }, (_one, id) => ({ id, name: `n${id}` }));
    expect(await run(text, { mode: 'many', params })).toMatchObject({ rowCount: 300, rows: [] });
    expect(await run('delete from items', { mode: 'none' })).toMatchObject({ rowCount: 300, rows: [] });
  });

  it('that only reads cannot write, whatever it says', async () => {
    const readOnly = { ...at, link: linkTo(server.uri, { tls: 'off', read_only: true }) };
    for (const [args, how] of [
      [{ readOnly: true }, at],
      [{}, readOnly],
    ] as const) {
      expect(await fails('insert into items (id) values (1)', args, how)).toMatchObject({ out: { sqlState: '25006' } });
      const text = "select set_config('transaction_read_only', 'off', true) as a";
      expect(await fails(text, args, how)).toMatchObject({ out: { sqlState: '25001' } });
    }
    const steps = [{ statement: 'set transaction read write' }, { statement: 'delete from items' }];
    expect(await failureOf(transact(steps, {}, readOnly))).toMatchObject({ out: { sqlState: '25001' } });
  });
});

describe('a file', () => {
  it('has all rows, in each format', async () => {
    const text = `select 1 as id, 'a,"b"' as name, null::text as nothing, '' as empty, '\\x00ff'::bytea as raw`;
    expect(await run(text, { mode: 'file' }, withFiles)).toMatchObject({
      rows: [],
      rowCount: 1,
      file: { filename: 'rows.csv' },
    });
    expect(stored.at(-1)?.content.toString()).toBe('id,name,nothing,empty,raw\r\n1,"a,""b""",,"",AP8=\r\n');
    await run(text, { mode: 'file', format: 'jsonl' }, withFiles);
    expect(stored.at(-1)?.content.toString()).toBe(
      '{"id":1,"name":"a,\\"b\\"","nothing":null,"empty":"","raw":"AP8="}\n',
    );
    await run(`select array['\\x00ff'::bytea] as raws`, { mode: 'file', format: 'jsonl' }, withFiles);
    expect(stored.at(-1)?.content.toString()).toBe('{"raws":["AP8="]}\n');
    await run('select n from generate_series(1, 2) n', { mode: 'file', format: 'json' }, withFiles);
    expect(JSON.parse(stored.at(-1)?.content.toString() ?? '')).toEqual([{ n: 1 }, { n: 2 }]);
    await run('select 1 as a where false', { mode: 'file', format: 'json' }, withFiles);
    expect(stored.at(-1)?.content.toString()).toBe('[]');
    await run('select 1 as a where false', { mode: 'file' }, withFiles);
    expect(stored.at(-1)?.content.toString()).toBe('a\r\n');
  });

  it('of many rows is read no faster than it is stored', async () => {
    let held = 0;
    let most = 0;
    let rows = 0;
    const slow: LayerFiles = {
      ...files,
      store: async (content) => {
        for await (const piece of content) {
          most = Math.max(most, piece.byteLength);
          held = process.memoryUsage().rss;
          rows += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
        return { $ref: 'file:x' } as never;
      },
    };
    const before = process.memoryUsage().rss;
    const text = "select n, repeat('x', 1000) as x from generate_series(1, 50000) n";
    const out = await run(text, { mode: 'file', format: 'jsonl' }, { ...at, context: { files: slow } });
    expect(out).toMatchObject({ rowCount: 50_000 });
    expect(rows).toBeGreaterThan(5);
    expect(most).toBeLessThan(17 * 1024 * 1024);
    expect(held - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('has 64 MB at most', async () => {
    const text = "select repeat('x', 1000000) as x from generate_series(1, 70)";
    expect(await fails(text, { mode: 'file' }, withFiles)).toMatchObject({ code: 'output_too_large' });
  });
});

describe('a transaction', () => {
  const insert = (id: number, more: object = {}) => ({
    ...{ statement: 'insert into items (id) values (:id) returning id', params: { id } },
    ...more,
  });

  it('takes effect as a whole', async () => {
    const out = await transact([insert(1, { expectRows: 1 }), { statement: 'select count(*)::int as n from items' }], {
      isolation: 'serializable',
    });
    expect(out).toMatchObject({ rowCount: 2, results: [{ rows: [{ id: 1 }] }, { rows: [{ n: 1 }] }] });
    await run('delete from items', { mode: 'none' });
  });

  it.each([
    ['another number of rows', [insert(1, { expectRows: 2 })], 'unexpected_rows'],
    ['a constraint', [insert(1), insert(1)], 'constraint_violated'],
    ['a statement that fails', [insert(1), { statement: 'select 1 / 0 as n' }], 'sql_failed'],
  ])('leaves nothing after %s', async (_what, statements, code) => {
    expect(await failureOf(transact(statements))).toMatchObject({ code });
    expect(await count('items')).toEqual([{ n: 0 }]);
  });

  it('gives all rows of a large result', async () => {
    const many = { statement: 'select n from generate_series(1, 4500) n' };
    const out = await transact([insert(1), many, { statement: 'select 1 as a' }]);
    const [, found] = out.results as { rows: { n: number }[]; rowCount: number }[];
    expect([found?.rowCount, out.rowCount]).toEqual([4_500, 4_502]);
    expect(found?.rows.map(({ n }) => n)).toEqual(Array.from({ length: 4_500 }, (_one, at) => at + 1));
    expect(await count('items')).toEqual([{ n: 1 }]);
    await run('delete from items', { mode: 'none' });
    const text = 'select n from generate_series(1, 2000) n';
    expect(await run(text, { mode: 'file', readOnly: true }, withFiles)).toMatchObject({ rowCount: 2_000 });
  });

  it('that nobody continues is ended by the server, also between the rows of a statement', async () => {
    const pools = poolsOver(sockets);
    const ask = { companyId: 'company', integrationId: 'db', link, playId: 'still', timeoutMs: 500, isReadOnly: false };
    const { signal } = new AbortController();
    const gone = "select count(*)::int as n from pg_stat_activity where application_name = 'weft:still'";
    const still = pools.use({ ...ask, signal }, (session) =>
      session.transaction(null, async () => {
        const rows = session.stream(ownStatement('select n from generate_series(1, 2000) n'), () => undefined);
        for await (const some of rows) {
          expect(some.length).toBeGreaterThan(0);
          await waitFor(async () => ((await run(gone)).rows as { n: number }[])[0]?.n === 0, {
            what: 'the server to end the transaction',
          });
        }
      }),
    );
    expect((await failureOf(still)).code).toMatch(/connect_failed|sql_failed/);
    pools.close();
  });

  it.each(['commit', 'rollback', 'begin'])('is not ended by %s', async (statement) => {
    await expect(transact([insert(1), { statement }])).rejects.toThrow(/said by Weft/);
    expect(await count('items')).toEqual([{ n: 0 }]);
  });
});

describe('once', () => {
  it('takes effect once for a key, and gives the first output again', async () => {
    const text = 'insert into items (id) values (:id) returning id';
    const first = await run(text, { params: { id: 1 }, once: true });
    const again = await run(text, { params: { id: 2 }, once: true });
    expect(again).toEqual(first);
    expect(await count('items')).toEqual([{ n: 1 }]);
    await run(text, { params: { id: 2 }, once: true }, { ...at, context: { idempotencyKey: 'other.0' } });
    expect(await count('items')).toEqual([{ n: 2 }]);
    await run('delete from items', { mode: 'none' });
  });

  it.each([undefined, 'repeatable read', 'serializable'])(
    'takes effect once when two do it at the same time (isolation %s)',
    async (isolation) => {
      const other = { ...at, pools: poolsOver(sockets), context: { idempotencyKey: `both.${isolation}` } };
      const statements = [
        { statement: 'insert into items (id) select coalesce(max(id), 0) + 1 from items returning id' },
      ];
      const slow = [...statements, { statement: "select 'x' as a from pg_sleep(0.3)" }];
      const outs = await Promise.all([
        transact(slow, { once: true, isolation }, { ...at, context: { idempotencyKey: `both.${isolation}` } }),
        transact(slow, { once: true, isolation }, other),
      ]);
      expect(outs[0]).toEqual(outs[1]);
      expect(await count('items')).toEqual([{ n: 1 }]);
      await run('delete from items', { mode: 'none' });
      other.pools.close();
    },
  );

  const insert = ownStatement('insert into items (id) values (1)');
  const insertOnce = (key: string, how: SqlRun = at) =>
    run(
      'insert into items (id) values (1)',
      { once: true, timeoutMs: 20_000 },
      {
        ...how,
        context: { idempotencyKey: key },
      },
    );
  const useWith = (pools: SqlRun['pools'], timeoutMs: number) => ({
    ...{ companyId: 'company', integrationId: 'db', link, playId: 'first', timeoutMs, isReadOnly: false },
    signal: new AbortController().signal,
    pools,
  });

  it('takes effect once when a worker ends within the transaction', async () => {
    const first = poolsOver(sockets);
    const ended = first.use(useWith(first, 20_000), (session) =>
      once(session, 'ended.0', null, async () => {
        await session.changes(insert);
        session.close();
        return {};
      }),
    );
    expect(await failureOf(ended)).toMatchObject({ code: 'connect_failed' });
    expect(await insertOnce('ended.0')).toMatchObject({ rowCount: 1 });
    expect(await count('items')).toEqual([{ n: 1 }]);
    await run('delete from items', { mode: 'none' });
  });

  it('takes effect once when a worker stands still within the transaction, and goes on when another has done it', async () => {
    const first = poolsOver(sockets);
    const still = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const frozen = first.use(useWith(first, 1_000), (session) =>
      once(session, 'frozen.0', null, async () => {
        await session.changes(insert);
        begun.resolve();
        await still.promise;
        return {};
      }),
    );
    await begun.promise;
    expect(await insertOnce('frozen.0')).toMatchObject({ rowCount: 1 });
    still.resolve();
    expect((await failureOf(frozen)).code).toMatch(/connect_failed|sql_failed/);
    expect(await count('items')).toEqual([{ n: 1 }]);
    await run('delete from items', { mode: 'none' });
    first.close();
  });

  it('takes effect once when the connection ends after the commit was sent and before it was answered', async () => {
    const between = await cutAfter('commit');
    const cut = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
    const way = { ...at, pools: poolsOver({ dial: (to) => cut.dial({ ...to, port: between.port }) }) };
    expect(await failureOf(insertOnce('cut.0', way))).toMatchObject({ code: 'connect_failed' });
    await waitFor(async () => (await count('items'))[0]?.n === 1, { what: 'the commit to have its effect' });
    expect(await insertOnce('cut.0')).toMatchObject({ rowCount: 1 });
    expect(await count('items')).toEqual([{ n: 1 }]);
    await run('delete from items', { mode: 'none' });
    between.close();
  });

  it('keeps no key of what failed', async () => {
    const how = { ...at, context: { idempotencyKey: 'failed.0' } };
    const text = 'insert into items (id) values (:id)';
    expect(await fails(text, { params: { id: 'x' }, once: true }, how)).toMatchObject({ code: 'sql_failed' });
    expect(await run(text, { params: { id: 1 }, once: true }, how)).toMatchObject({ rowCount: 1 });
    await run('delete from items', { mode: 'none' });
  });

  it('says which table it needs', async () => {
    await run('create schema bare', { mode: 'none' });
    const bare = { ...at, link: linkTo(server.uri, { tls: 'off', schema: 'bare' }) };
    expect(await fails('select 1 as a', { once: true }, bare)).toMatchObject({
      ...{ code: 'invalid_args', message: expect.stringMatching(/create table weft_done/) as string },
    });
  });
});

describe('sessions', () => {
  const pidOf = async (how: SqlRun) => (await run('select pg_backend_pid() as pid', {}, how)).rows as { pid: number }[];

  it('are used again by the same company, and never by another', async () => {
    const mine = { pools: poolsOver(sockets), link: linkTo(server.uri, { tls: 'off', pool: 1 }) };
    const [first] = await pidOf(mine);
    expect(await pidOf(mine)).toEqual([first]);
    for (const companyId of ['other', 'third']) {
      expect((await pidOf({ ...mine, companyId }))[0]?.pid).not.toBe(first?.pid);
    }
    expect(await pidOf(mine)).toEqual([first]);
    mine.pools.close();
  });

  it('begin anew when the link has changed', async () => {
    const mine = { pools: poolsOver(sockets), link: linkTo(server.uri, { tls: 'off', pool: 1 }) };
    const [first] = await pidOf(mine);
    const changed = linkTo(server.uri, { tls: 'off', pool: 1, schema: 'public' });
    expect((await pidOf({ ...mine, link: changed }))[0]?.pid).not.toBe(first?.pid);
    expect(await pidOf(mine)).toEqual([first]);
    mine.pools.close();
  });

  it('leave nothing for the next user', async () => {
    const mine = { pools: poolsOver(sockets), link: linkTo(server.uri, { tls: 'off', pool: 1 }) };
    const [first] = await pidOf(mine);
    await run("select set_config('weft.left', 'mine', false) as a", {}, mine);
    await run('create temp table left_over (id int)', { mode: 'none' }, mine);
    const { rows } = await run(
      "select pg_backend_pid() as pid, current_setting('weft.left', true) as setting, to_regclass('left_over')::text as tab, current_setting('application_name') as name",
      {},
      mine,
    );
    expect(rows).toEqual([
      { pid: first?.pid, setting: expect.toBeOneOf([null, '']) as unknown, tab: null, name: 'weft:play' },
    ]);
    mine.pools.close();
  });

  it('are as many at once as the link says', async () => {
    const counts: number[] = [];
    const mine = {
      pools: poolsOver(sockets, (n) => counts.push(n)),
      link: linkTo(server.uri, { tls: 'off', pool: 2 }),
    };
    await Promise.all(Array.from({ length: 6 }, () => run('select 1 as a from pg_sleep(0.05)', {}, mine)));
    expect(Math.max(...counts)).toBe(2);
    mine.pools.close();
  });

  it('that the server has ended are opened again', async () => {
    const mine = { pools: poolsOver(sockets), link: linkTo(server.uri, { tls: 'off', pool: 1 }) };
    const [first] = await pidOf(mine);
    await run('select pg_terminate_backend(:pid::int) as a', { params: { pid: first?.pid } });
    const [second] = await pidOf(mine);
    expect(second?.pid).not.toBe(first?.pid);
    mine.pools.close();
  });

  it('whose statement was cancelled are not used again: a late cancel would end the next one', async () => {
    const mine = { pools: poolsOver(sockets), link: linkTo(server.uri, { tls: 'off', pool: 1 }) };
    const [first] = await pidOf(mine);
    const over = AbortSignal.timeout(100);
    expect(await fails('select pg_sleep(30)', {}, { ...mine, context: { signal: over } })).toMatchObject({
      code: 'cancelled',
    });
    expect((await pidOf(mine))[0]?.pid).not.toBe(first?.pid);
    mine.pools.close();
  });

  it('are closed with their pools', async () => {
    const counts: number[] = [];
    const mine = { pools: poolsOver(sockets, (n) => counts.push(n)), link };
    await run('select 1 as a', {}, mine);
    mine.pools.close();
    await waitFor(() => counts.at(-1) === 0, { what: 'the session to end' });
  });

  it('are counted', () => expect(open).toBeGreaterThan(0));
});

describe('a link', () => {
  const ways = { http: layerContext().http, sockets };
  const named = (settings: object) => linkTo(server.uri, settings);

  it('is tested by a login', async () => {
    expect(await checkConnection(link, ways)).toEqual({
      ...{
        ok: true,
        detail: expect.stringMatching(/^127.0.0.1 took the login to the database spec_\w+, without TLS.$/) as unknown,
      },
    });
    const wrong = await checkConnection({ ...link, secret: 'weft:wrong' }, ways);
    expect(wrong).toMatchObject({ ok: false, detail: expect.stringMatching(/28P01/) as string });
    expect(wrong?.detail).not.toContain('wrong');
  });

  it('checks the certificate of the server', async () => {
    expect(await checkConnection(named({ ca: PRIVATE_CA }), ways)).toMatchObject({ ok: true });
    expect(await checkConnection(named({}), ways)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/certificate of 127/) as string,
    });
    expect(await checkConnection(named({ tls: 'require' }), ways)).toMatchObject({ ok: true });
  });

  it('leads nowhere that the operator has not opened', async () => {
    const closed = createEgressDialer({ allow: [] });
    expect(await fails('select 1 as a', {}, { pools: poolsOver(closed), link })).toMatchObject({
      code: 'destination_blocked',
    });
  });

  it('without TLS is for addresses that the operator has opened', async () => {
    const elsewhere = {
      dial: async (target: Parameters<typeof sockets.dial>[0]) =>
        Object.defineProperty(await sockets.dial({ ...target }), 'remoteAddress', { value: '93.184.216.34' }),
    };
    expect(await fails('select 1 as a', {}, { pools: poolsOver(elsewhere), link })).toMatchObject({
      ...{ code: 'integration_unusable', message: expect.stringMatching(/public address/) as string },
    });
  });
});
