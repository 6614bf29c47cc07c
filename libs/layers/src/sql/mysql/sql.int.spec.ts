import { createEgressDialer } from '@weft/egress';
import { liveMariadb, PRIVATE_CA, waitFor } from '@weft/testing';
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

const server = await liveMariadb();
const sockets = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port: server.port }] });
const pools = poolsOver(sockets);
const link = linkTo(server.uri);
const at: SqlRun = { pools, link };

const run = (statement: string, args: Readonly<Record<string, unknown>> = {}, how: SqlRun = at) =>
  runSql(sql, { statement, ...args }, how);
const fails = (statement: string, args: Readonly<Record<string, unknown>> = {}, how: SqlRun = at) =>
  failureOf(run(statement, args, how));
const transact = (statements: readonly unknown[], args: Readonly<Record<string, unknown>> = {}, how: SqlRun = at) =>
  runSql(sqlTransaction, { statements, ...args }, how);
const none = (statement: string, params: object = {}) => run(statement, { params, mode: 'none' });
const countIn = async (table: string) => {
  const { rows } = await run(`select count(*) as n from ${table}`);
  return Number((rows as { n: string }[])[0]?.n);
};

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
  await none(
    'create table items (id int primary key, name varchar(100), price decimal(20,4), constraint items_name unique (name), constraint items_price check (price >= 0)) engine = InnoDB',
  );
  await none(
    'create table parts (id int auto_increment primary key, item int, constraint parts_item foreign key (item) references items (id)) engine = InnoDB',
  );
  const { message } = await fails('select 1 as a', { once: true });
  await none(message.slice(message.indexOf('create table weft_done')));
});

describe('values', () => {
  it('come without loss', async () => {
    await none(`create table kinds (
      tiny tinyint, utiny tinyint unsigned, small smallint, usmall smallint unsigned, medium mediumint, whole int, uwhole int unsigned,
      big bigint, ubig bigint unsigned, exact decimal(65,30), near float, nearer double, bits bit(12), yes boolean,
      day date, moment datetime(6), short_moment datetime, stamp timestamp(3), span time(2), zone_year year,
      doc json, words text character set latin1, bytes varbinary(10), lump blob, pick enum('a','b'), some set('x','y'), here point, id uuid, nothing int)`);
    await none(
      `insert into kinds values (-128, 255, -32768, 65535, -8388608, -2147483648, 4294967295, -9223372036854775808, 18446744073709551615,
      '12345678901234567890123456789012345.123456789012345678901234567890', 0.1, 0.1, b'101', true,
      '2026-11-28', '2026-11-28 22:32:45.476192', '2026-11-28 22:32:45', '2026-11-28 22:32:45.5', '-26:03:00.5', 2026,
      '{"a": [1, null], "b": 7615917337495251231}', 'é', x'00ff', x'0102', 'b', 'x,y', point(1, 2), '01890a5d-ac96-774b-bcce-b302099a8057', null)`,
    );
    const { rows, fields } = await run('select * from kinds');
    expect(rows).toEqual([
      {
        ...{ tiny: -128, utiny: 255, small: -32768, usmall: 65535, medium: -8388608, whole: -2147483648 },
        ...{ uwhole: 4294967295, big: '-9223372036854775808', ubig: '18446744073709551615' },
        exact: '12345678901234567890123456789012345.123456789012345678901234567890',
        ...{ near: 0.1, nearer: 0.1, bits: '000000000101', yes: 1, day: '2026-11-28' },
        ...{ moment: '2026-11-28T22:32:45.476192', short_moment: '2026-11-28T22:32:45' },
        ...{ stamp: '2026-11-28T22:32:45.500+00:00', span: '-26:03:00.50', zone_year: 2026 },
        ...{ doc: { a: [1, null], b: 7615917337495251231n }, words: 'é', bytes: 'AP8=', lump: 'AQI=' },
        ...{ pick: 'b', some: 'x,y', id: '01890a5d-ac96-774b-bcce-b302099a8057', nothing: null },
        // the number of its system of coordinates, and WKB
        here: Buffer.from('000000000101000000000000000000f03f0000000000000040', 'hex').toString('base64'),
      },
    ]);
    const types = Object.fromEntries(
      (fields as { name: string; type: string }[]).map(({ name, type }) => [name, type]),
    );
    expect(types).toMatchObject({
      ...{ utiny: 'tinyint unsigned', ubig: 'bigint unsigned', exact: 'decimal', bits: 'bit', moment: 'datetime' },
      ...{
        doc: 'json',
        words: 'text',
        bytes: 'varbinary',
        lump: 'blob',
        pick: 'enum',
        some: 'set',
        here: 'point',
        id: 'uuid',
      },
    });
  });

  it('of zero dates are what they are', async () => {
    const text =
      "select cast('0000-00-00' as date) as day, cast('0000-00-00 00:00:00' as datetime) as moment, cast('00:00:00' as time) as span";
    expect((await run(text)).rows).toEqual([{ day: '0000-00-00', moment: '0000-00-00T00:00:00', span: '00:00:00' }]);
  });

  it('go as they are, whatever is in them', async () => {
    const text = `'; drop table items; -- ? :a ${String.raw`\ "`} 😀,a,b\0`;
    const params = {
      ...{
        text,
        big: 18446744073709551615n,
        low: -9223372036854775808n,
        near: 0.1,
        whole: 7,
        yes: true,
        nothing: null,
      },
      ...{ huge: 123456789012345678901234567890n, doc: { a: [1, '"'] }, list: [1, 'a'] },
    };
    await none(
      'create table given (text text, big bigint unsigned, low bigint, near double, whole int, yes boolean, nothing int, huge decimal(40,0), doc json, list json) character set utf8mb4',
    );
    await none(
      'insert into given values (:text, :big, :low, :near, :whole, :yes, :nothing, :huge, :doc, :list)',
      params,
    );
    expect(
      (await run('select * from given where text = :text and big = :big and text = :text', { params })).rows,
    ).toEqual([
      {
        ...{
          text,
          big: '18446744073709551615',
          low: '-9223372036854775808',
          near: 0.1,
          whole: 7,
          yes: 1,
          nothing: null,
        },
        ...{ huge: '123456789012345678901234567890', doc: params.doc, list: params.list },
      },
    ]);
  });

  it('have their places as names and as question marks, also where only whole numbers stand', async () => {
    expect((await run('select ? as a, ? as b', { params: [1, 'x'] })).rows).toEqual([{ a: '1', b: 'x' }]);
    const ids = 'select seq as n from seq_1_to_9 order by seq desc limit :most offset :from';
    expect((await run(ids, { params: { most: 2, from: 1 } })).rows).toEqual([{ n: '8' }, { n: '7' }]);
    expect(await fails('select ? as a', { params: [] })).toMatchObject({
      ...{ code: 'invalid_args', message: 'params: the statement has 1 places, and 0 values are given' },
    });
  });

  it('that are long come as they are, and as a file where they are bytes', async () => {
    const long = 'ab"\\😀'.repeat(500_000);
    const { rows } = await run('select :long as word', { params: { long } });
    expect((rows as { word: string }[])[0]?.word === long).toBe(true);
    const found = await run("select cast(repeat('x', 300000) as binary) as raw", {}, withFiles);
    expect(found.rows).toMatchObject([{ raw: { $ref: expect.stringMatching(/^file:/) as string } }]);
    expect(stored.at(-1)?.content.byteLength).toBe(300_000);
  });

  it('with one name for two columns are refused', async () => {
    expect(await fails('select 1 as a, 2 as a')).toMatchObject({
      ...{ code: 'invalid_args', message: expect.stringMatching(/two columns/) as string },
    });
  });
});

describe('a statement', () => {
  it('is one, with and without params', async () => {
    for (const params of [{}, { a: 1 }]) {
      const text = `select ${'a' in params ? ':a' : '1'} as a; drop table items`;
      expect(await fails(text, { params })).toMatchObject({
        ...{ code: 'sql_failed', out: { sqlState: '42000', errno: 1064 }, isPassing: false },
      });
    }
    expect(await countIn('items')).toBe(0);
  });

  it('fails with more rows than it may have, and what it changed is taken back', async () => {
    const text = 'insert into items (id) values (1), (2), (3) returning id';
    expect(await fails(text, { maxRows: 2 })).toMatchObject({ code: 'too_many_rows' });
    expect(await countIn('items')).toBe(0);
    expect(await fails('select seq from seq_1_to_2', { mode: 'one' })).toMatchObject({ code: 'too_many_rows' });
    expect(await run('select seq from seq_1_to_4', { maxRows: 4 })).toMatchObject({ rowCount: 4 });
  });

  it('fails with more bytes than a result may have', async () => {
    expect(await fails("select repeat('x', 1000000) as x from seq_1_to_20")).toMatchObject({
      code: 'output_too_large',
    });
    expect(await fails('select :a as a', { params: { a: 'x'.repeat(17_000_000) } })).toMatchObject({
      ...{ code: 'invalid_args', message: expect.stringMatching(/MySQL takes fewer/) as string },
    });
  });

  it('says how many rows it met, also those that it left as they were, and the number of the first new one', async () => {
    await none("insert into items (id, name) values (1, 'a'), (2, 'b')");
    expect(await none("update items set name = 'a' where id = 1")).toMatchObject({ rowCount: 1, insertId: null });
    await none('insert into parts (item) values (1)');
    const { insertId } = await none('insert into parts (item) values (1), (2)');
    expect((await run('select max(id) as id from parts')).rows).toEqual([{ id: Number(insertId) + 1 }]);
    await none('delete from parts');
    await none('delete from items');
  });

  it('ends at its time limit, by the server and by a cancel, and holds no lock after it', async () => {
    expect(await fails('select sleep(30)', { timeoutMs: 200 })).toMatchObject({
      code: 'timeout',
      out: { errno: 1969 },
    });
    await none('insert into items (id) values (1)');
    const over = AbortSignal.timeout(300);
    const begun = performance.now();
    const text = 'update items set price = sleep(31) where id = 1';
    expect(await fails(text, {}, { ...at, context: { signal: over } })).toMatchObject({ code: 'cancelled' });
    expect(performance.now() - begun).toBeLessThan(8_000);
    await none('delete from items where id = 1');
    const { rows } = await run(
      "select count(*) as n from information_schema.processlist where info like '%sleep(3_)%' and id <> connection_id()",
    );
    expect(rows).toEqual([{ n: '0' }]);
  });

  it('says which failures may pass, and which constraint the rows violate', async () => {
    expect(await fails('select * from nowhere')).toMatchObject({
      ...{
        code: 'sql_failed',
        isPassing: false,
        message: expect.stringMatching(/42S02, error 1146.*nowhere/) as string,
      },
    });
    await none("insert into items (id, name) values (1, 'secret value')");
    const violations: readonly [string, string | null][] = [
      ["insert into items (id, name) values (2, 'secret value')", 'items_name'],
      ['insert into items (id) values (1)', 'PRIMARY'],
      ['insert into items (id, price) values (3, -1)', 'items_price'],
      ['insert into parts (item) values (77)', 'parts_item'],
      ['insert into items (id) values (null)', 'id'],
    ];
    for (const [text, constraint] of violations) {
      const failure = await fails(text);
      expect(failure, text).toMatchObject({ code: 'constraint_violated', out: { sqlState: '23000', constraint } });
      expect(failure.message).not.toContain('secret value');
    }
    await none('delete from items');
  });

  it('waits for a lock as long as it may, and says that it may pass', async () => {
    await none('insert into items (id) values (1)');
    const begun = Promise.withResolvers<void>();
    const other = poolsOver(sockets);
    const ask = { companyId: 'c', integrationId: 'db', link, playId: 'p', timeoutMs: 60_000, isReadOnly: false };
    const end = Promise.withResolvers<void>();
    const holding = other.use({ ...ask, signal: new AbortController().signal }, (session) =>
      session.transaction(null, async () => {
        await session.changes(ownStatement('update items set price = 1 where id = 1'));
        begun.resolve();
        await end.promise;
      }),
    );
    await begun.promise;
    const failure = await fails('update items set price = 2 where id = 1', { timeoutMs: 1_500 });
    expect([failure.code, failure.out?.errno]).toEqual(['timeout', 1969]);
    end.resolve();
    await holding;
    other.close();
    await none('delete from items');
  });

  it.each([
    'set autocommit = 1',
    'set session time_zone = "+02:00"',
    'use mysql',
    "execute immediate 'use mysql'",
    'set /* set @a */ autocommit = 1',
    'set @@sql_mode = ""',
    "set @a = 1, sql_mode = ''",
    'if 1 then set autocommit = 1; end if',
    'for i in 1 .. 1 do set autocommit = 1; end for',
  ])('does not change the session: %s', async (text) => {
    expect(await fails(text)).toMatchObject({
      code: 'invalid_args',
      message: expect.stringMatching(/session/) as string,
    });
  });

  it('runs once for each of many params, in one transaction', async () => {
    const text = 'insert into items (id, name) values (:id, :name)';
    const two = [
      { id: 1, name: 'a' },
      { id: 2, name: 'a' },
    ];
    expect(await fails(text, { mode: 'many', params: two })).toMatchObject({ code: 'constraint_violated' });
    expect(await countIn('items')).toBe(0);
    const params = Array.from({ length: 300 }, (_one, id) => ({ id, name: `n${id}` }));
    expect(await run(text, { mode: 'many', params })).toMatchObject({ rowCount: 300, rows: [] });
    expect(await none('delete from items')).toMatchObject({ rowCount: 300 });
  });

  it('that only reads cannot write, whatever it says', async () => {
    const readOnly = { ...at, link: linkTo(server.uri, { tls: 'off', read_only: true }) };
    await none(
      'create procedure writes() begin commit; start transaction; insert into items (id) values (9); commit; end',
    );
    for (const [args, how] of [
      [{ readOnly: true }, at],
      [{}, readOnly],
    ] as const) {
      expect(await fails('insert into items (id) values (1)', args, how)).toMatchObject({ out: { sqlState: '25006' } });
      expect(await fails('call writes()', args, how)).toMatchObject({ code: 'invalid_args' });
      expect((await run('select count(*) as n from items', args, how)).rows).toEqual([{ n: '0' }]);
    }
    const steps = [{ statement: 'select 1 into @a' }, { statement: 'delete from items' }];
    expect(await failureOf(transact(steps, {}, readOnly))).toMatchObject({ out: { sqlState: '25006' } });
    expect(await countIn('items')).toBe(0);
  });
});

describe('a file', () => {
  it('has all rows, in each format', async () => {
    const text = `select 1 as id, 'a,"b"' as name, null as nothing, '' as empty, x'00ff' as raw`;
    expect(await run(text, { mode: 'file' }, withFiles)).toMatchObject({
      rows: [],
      rowCount: 1,
      file: { filename: 'rows.csv' },
    });
    expect(stored.at(-1)?.content.toString()).toBe('id,name,nothing,empty,raw\r\n1,"a,""b""",,"",AP8=\r\n');
    await run(text, { mode: 'file', format: 'jsonl', readOnly: true }, withFiles);
    expect(stored.at(-1)?.content.toString()).toBe(
      '{"id":1,"name":"a,\\"b\\"","nothing":null,"empty":"","raw":"AP8="}\n',
    );
    await run('select seq from seq_1_to_2', { mode: 'file', format: 'json' }, withFiles);
    expect(JSON.parse(stored.at(-1)?.content.toString() ?? '')).toEqual([{ seq: '1' }, { seq: '2' }]);
    await run('select 1 as a from dual where false', { mode: 'file' }, withFiles);
    expect(stored.at(-1)?.content.toString()).toBe('a\r\n');
  });

  it('of many rows is read no faster than it is stored', async () => {
    let held = 0;
    let pieces = 0;
    const slow: LayerFiles = {
      ...files,
      store: async (content) => {
        for await (const piece of content) {
          expect(piece.byteLength).toBeLessThan(17 * 1024 * 1024);
          held = Math.max(held, process.memoryUsage().rss);
          pieces += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
        return { $ref: 'file:x' } as never;
      },
    };
    const before = process.memoryUsage().rss;
    const text = "select seq, repeat('x', 1000) as x from seq_1_to_50000";
    const out = await run(text, { mode: 'file', format: 'jsonl' }, { ...at, context: { files: slow } });
    expect(out).toMatchObject({ rowCount: 50_000 });
    expect(pieces).toBeGreaterThan(5);
    expect(held - before).toBeLessThan(300 * 1024 * 1024);
  });
});

describe('a transaction', () => {
  const insert = (id: number, more: object = {}) => ({
    ...{ statement: 'insert into items (id) values (:id)', params: { id } },
    ...more,
  });

  it('takes effect as a whole', async () => {
    const out = await transact([insert(1, { expectRows: 1 }), { statement: 'select count(*) as n from items' }], {
      isolation: 'serializable',
    });
    expect(out).toMatchObject({ rowCount: 2, results: [{ rows: [] }, { rows: [{ n: '1' }] }] });
    await none('delete from items');
  });

  it.each([
    ['another number of rows', [insert(1, { expectRows: 2 })], 'unexpected_rows'],
    ['a constraint', [insert(1), insert(1)], 'constraint_violated'],
    ['a statement that fails', [insert(1), { statement: 'select * from nowhere' }], 'sql_failed'],
    ['what would commit it', [insert(1), { statement: 'create table other (id int)' }], 'invalid_args'],
    ['a change of the session', [insert(1), { statement: 'set autocommit = 1' }], 'invalid_args'],
  ])('leaves nothing after %s', async (_what, statements, code) => {
    expect(await failureOf(transact(statements))).toMatchObject({ code });
    expect(await countIn('items')).toBe(0);
  });

  it('that a procedure has ended fails, and says that it has taken effect', async () => {
    await none('create procedure commits() commit');
    expect(await failureOf(transact([insert(1), { statement: 'call commits()' }]))).toMatchObject({
      ...{ code: 'sql_failed', message: expect.stringMatching(/has taken effect/) as string },
    });
    expect(await countIn('items')).toBe(1);
    await none('delete from items');
  });

  it('that nobody continues is ended by the server', async () => {
    const mine = poolsOver(sockets);
    const ask = {
      companyId: 'company',
      integrationId: 'db',
      link,
      playId: 'still',
      timeoutMs: 1_000,
      isReadOnly: false,
    };
    const still = mine.use({ ...ask, signal: new AbortController().signal }, (session) =>
      session.transaction(null, async () => {
        await session.changes(ownStatement('insert into items (id) values (1)'));
        // waits for the row, until the server has taken it back
        await none('insert into items (id) values (1)');
      }),
    );
    expect((await failureOf(still)).code).toMatch(/connect_failed|sql_failed/);
    await none('delete from items');
    mine.close();
  });
});

describe('once', () => {
  it('takes effect once for a key, and gives the first output again', async () => {
    const text = 'insert into items (id) values (:id) returning id';
    const first = await run(text, { params: { id: 1 }, once: true });
    expect(await run(text, { params: { id: 2 }, once: true })).toEqual(first);
    expect(await countIn('items')).toBe(1);
    await run(text, { params: { id: 2 }, once: true }, { ...at, context: { idempotencyKey: 'other.0' } });
    expect(await countIn('items')).toBe(2);
    await none('delete from items');
  });

  it.each([undefined, 'read committed', 'serializable'])(
    'takes effect once when two do it at the same time (isolation %s)',
    async (isolation) => {
      const context = { idempotencyKey: `both.${isolation}` };
      const other = { ...at, pools: poolsOver(sockets), context };
      const slow = [{ statement: 'insert into parts () values ()' }, { statement: 'select sleep(0.3) as a' }];
      const outs = await Promise.all([
        transact(slow, { once: true, isolation }, { ...at, context }),
        transact(slow, { once: true, isolation }, other),
      ]);
      expect(outs[0]).toEqual(outs[1]);
      expect(await countIn('parts')).toBe(1);
      await none('delete from parts');
      other.pools.close();
    },
  );

  const insertOnce = (key: string, how: SqlRun = at) =>
    run(
      'insert into items (id) values (1)',
      { once: true, timeoutMs: 20_000 },
      { ...how, context: { idempotencyKey: key } },
    );
  const useWith = (timeoutMs: number) => ({
    ...{ companyId: 'company', integrationId: 'db', link, playId: 'first', timeoutMs, isReadOnly: false },
    signal: new AbortController().signal,
  });
  const insert = ownStatement('insert into items (id) values (1)');

  it('takes effect once when a worker ends within the transaction', async () => {
    const first = poolsOver(sockets);
    const ended = first.use(useWith(20_000), (session) =>
      once(session, 'ended.0', null, async () => {
        await session.changes(insert);
        session.close();
        return {};
      }),
    );
    expect(await failureOf(ended)).toMatchObject({ code: 'connect_failed' });
    expect(await insertOnce('ended.0')).toMatchObject({ rowCount: 1 });
    expect(await countIn('items')).toBe(1);
    await none('delete from items');
  });

  it('takes effect once when a worker stands still within the transaction, and goes on when another has done it', async () => {
    const first = poolsOver(sockets);
    const still = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const frozen = first.use(useWith(1_000), (session) =>
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
    expect(await countIn('items')).toBe(1);
    await none('delete from items');
    first.close();
  });

  it('takes effect once when the connection ends after the commit was sent and before it was answered', async () => {
    const between = await cutAfter('commit');
    const cut = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
    const way = { ...at, pools: poolsOver({ dial: (to) => cut.dial({ ...to, port: between.port }) }) };
    expect(await failureOf(insertOnce('cut.0', way))).toMatchObject({ code: 'connect_failed' });
    await waitFor(async () => (await countIn('items')) === 1, { what: 'the commit to have its effect' });
    expect(await insertOnce('cut.0')).toMatchObject({ rowCount: 1 });
    expect(await countIn('items')).toBe(1);
    await none('delete from items');
    between.close();
  });

  it('keeps no key of what failed, and runs nothing that would commit it', async () => {
    const how = { ...at, context: { idempotencyKey: 'failed.0' } };
    expect(await fails('insert into nowhere values (1)', { once: true }, how)).toMatchObject({ code: 'sql_failed' });
    expect(await fails('truncate table items', { once: true }, how)).toMatchObject({ code: 'invalid_args' });
    expect(await run('insert into items (id) values (1)', { once: true }, how)).toMatchObject({ rowCount: 1 });
    await none('delete from items');
  });
});

describe('sessions', () => {
  const idOf = async (how: SqlRun) =>
    ((await run('select connection_id() as id', {}, how)).rows as { id: string }[])[0]?.id;
  const one = (): SqlRun => ({ pools: poolsOver(sockets), link: linkTo(server.uri, { tls: 'off', pool: 1 }) });

  it('are used again by the same company, and never by another', async () => {
    const mine = one();
    const first = await idOf(mine);
    expect(await idOf(mine)).toBe(first);
    for (const companyId of ['other', 'third']) expect(await idOf({ ...mine, companyId })).not.toBe(first);
    mine.pools.close();
  });

  it('leave nothing for the next user', async () => {
    const mine = one();
    const first = await idOf(mine);
    await run('select 1 into @mine', { mode: 'none' }, mine);
    expect((await run('select @@sql_mode as m', {}, mine)).rows).toEqual([
      { m: expect.stringMatching(/^STRICT/) as string },
    ]);
    // what a procedure sets is not seen by Weft, and lasts until the end of its layer
    await none(
      "create procedure sets() begin set sql_mode = ''; set wait_timeout = 9999; set time_zone = '+02:00'; end",
    );
    await run('call sets()', { mode: 'none' }, mine);
    const set = 'select @@time_zone as zone, @@wait_timeout < 9999 as limited, @@sql_mode as m';
    expect((await run(set, {}, mine)).rows).toEqual([
      { zone: '+00:00', limited: 1, m: expect.stringMatching(/^STRICT/) as string },
    ]);
    await run('create temporary table mine (id int)', { mode: 'none' }, mine);
    await run("select get_lock('mine', 1) as a", {}, mine);
    expect(
      (await run("select connection_id() as id, @mine as mine, is_used_lock('mine') as held", {}, mine)).rows,
    ).toEqual([{ id: first, mine: null, held: null }]);
    expect(await fails('select * from mine', {}, mine)).toMatchObject({ out: { sqlState: '42S02' } });
    mine.pools.close();
  });

  it('that the server has ended are opened again', async () => {
    const mine = one();
    const first = await idOf(mine);
    await none(`kill ${first}`);
    expect(await idOf(mine)).not.toBe(first);
    mine.pools.close();
  });

  it('whose statement was cancelled are not used again', async () => {
    const mine = one();
    const first = await idOf(mine);
    const over = AbortSignal.timeout(100);
    expect(await fails('select sleep(30)', {}, { ...mine, context: { signal: over } })).toMatchObject({
      code: 'cancelled',
    });
    expect(await idOf(mine)).not.toBe(first);
    mine.pools.close();
  });

  it('look names up in the database that the link names', async () => {
    const elsewhere = { ...at, link: linkTo(server.uri, { tls: 'off', schema: 'mysql' }) };
    expect((await run('select database() as name', {}, elsewhere)).rows).toEqual([{ name: 'mysql' }]);
    const nowhere = linkTo(server.uri.replace(/[^/]+$/, ''));
    expect((await run('select database() as name', {}, { pools, link: nowhere })).rows).toEqual([{ name: null }]);
  });
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
    expect(wrong).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/28000, error 1045.*Access denied/) as string,
    });
  });

  it('checks the certificate of the server', async () => {
    expect(await checkConnection(named({ ca: PRIVATE_CA }), ways)).toMatchObject({ ok: true });
    expect(await checkConnection(named({}), ways)).toMatchObject({
      ...{ ok: false, detail: expect.stringMatching(/certificate of 127/) as string },
    });
    const required = { pools: poolsOver(sockets), link: named({ tls: 'require' }) };
    expect((await run("show status like 'Ssl_cipher'", {}, required)).rows).toEqual([
      { Variable_name: 'Ssl_cipher', Value: expect.stringMatching(/TLS/) as string },
    ]);
    const over = AbortSignal.timeout(300);
    expect(await fails('select sleep(30)', {}, { ...required, context: { signal: over } })).toMatchObject({
      code: 'cancelled',
    });
    required.pools.close();
  });

  it('leads nowhere that the operator has not opened', async () => {
    const closed = poolsOver(createEgressDialer({ allow: [] }));
    expect(await fails('select 1 as a', {}, { pools: closed, link })).toMatchObject({ code: 'destination_blocked' });
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
      isSent ||= data.includes(word) && !data.includes('autocommit');
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
