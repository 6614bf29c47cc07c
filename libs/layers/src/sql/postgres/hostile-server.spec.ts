import { BytesSemaphore } from '@weft/concurrency';
import { dialerTo, rawServer, type RawServer } from '@weft/testing';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { LayerFiles } from '../../layer-module.js';
import { sql } from '../../modules/sql/sql.layer.js';
import { int16, int32, LOGGED_IN, message, ONE_COLUMN, row, talkingServer } from './database-server.fixture.js';
import { ownStatement } from '../once.js';
import { failureOf, linkTo, poolsOver, runSql } from '../sql.fixture.js';
import { MAX_MESSAGE_BYTES } from './postgres-guard.js';

const BEGUN = Buffer.concat([message('1'), message('2'), ONE_COLUMN]);

/** Asks for a proof of the password. */
const SCRAM = message('R', int32(10), 'SCRAM-SHA-256\0\0');

async function failureWith(port: number, args: Readonly<Record<string, unknown>> = {}, timeoutMs = 30_000) {
  const pools = poolsOver(dialerTo(port));
  const link = linkTo('postgres://weft:secret@db.example/shop');
  const signal = AbortSignal.timeout(timeoutMs);
  const context = { signal, timeoutMs, files };
  return failureOf(runSql(sql, { statement: 'select a from t', ...args }, { pools, link, context }));
}

const files: LayerFiles = {
  open: () => Promise.reject(new Error('no file is opened')),
  store: async (content) => {
    await buffer(content);
    throw new Error('the rows have come to their end');
  },
};

/** @param answer to each request for rows, which it takes some time to find */
function rowsServer(answer: Buffer): Promise<RawServer> {
  return talkingServer((socket) => {
    socket.write(Buffer.concat([BEGUN, answer]));
    const give = (): void => void (socket.destroyed || socket.write(answer));
    socket.on('data', (data: Buffer) => void (data.toString('latin1', 0, 1) === 'E' && setTimeout(give, 5)));
  });
}

/** A description of as many columns of texts. */
function columnsOf(count: number): Buffer {
  const of = [int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)];
  return message(
    'T',
    int16(count),
    ...Array.from({ length: count }, (_one, at) => [`column_${at + 10_000}\0`, ...of]).flat(),
  );
}

function header(code: string, length: number): Buffer {
  const bytes = message(code);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

describe('a hostile server', () => {
  it('announces a message of more than 16 MB: nothing of it is held', async () => {
    const server = await talkingServer((socket) => {
      socket.write(Buffer.concat([BEGUN, header('D', MAX_MESSAGE_BYTES + 1)]));
    });
    expect(await failureWith(server.port)).toMatchObject({
      code: 'output_too_large',
      message: expect.stringMatching(/16777217 bytes/) as string,
    });
  });

  it.each([{ mode: 'rows', maxRows: 10_000 }, { mode: 'none' }, { mode: 'file' }])(
    'sends rows without end: no more are taken than it was asked for, with %j',
    async (args) => {
      const many = Buffer.concat(Array.from({ length: 64 }, () => row('x'.repeat(1_000))));
      const server = await talkingServer((socket) => {
        socket.write(BEGUN);
        const go = (): void => void (socket.destroyed || socket.write(many, () => setImmediate(go)));
        go();
      });
      expect(await failureWith(server.port, args)).toMatchObject({ code: 'connect_failed' });
    },
  );

  it('has rows without end, and sends as many as it is asked for', async () => {
    const asked = Buffer.concat([...Array.from({ length: 1_000 }, () => row('x')), message('s')]);
    const server = await rowsServer(asked);
    expect(await failureWith(server.port, { maxRows: 10_000 })).toMatchObject({ code: 'too_many_rows' });
  });

  it('sends no rows without end', async () => {
    const server = await rowsServer(message('s'));
    expect(await failureWith(server.port)).toMatchObject({ code: 'connect_failed' });
  });

  it('sends more bytes than a result may have', async () => {
    const server = await talkingServer((socket) => {
      socket.write(BEGUN);
      for (let at = 0; at < 20; at += 1) socket.write(row('x'.repeat(1024 * 1024)));
    });
    expect(await failureWith(server.port)).toMatchObject({ code: 'output_too_large' });
  });

  it.each([
    ['speaks HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['sends a message shorter than its length', header('Z', 3)],
    ['asks for a login that is not known', message('R', int32(99))],
    ['sends an error without an end, after which the driver would look forever', message('E', 'Sx')],
    ['sends an error with a part that has no end', message('E', 'SFATAL\0M')],
    ['ends an error twice', message('E', 'SFATAL\0', '\0\0')],
    ['asks for a step of a login without its number', message('R')],
    ['logs in twice', Buffer.concat([LOGGED_IN, message('R', int32(0))])],
    ['closes the connection', null],
  ])('%s', async (_what, answer) => {
    const server = await rawServer((socket) => void (answer ? socket.write(answer) : socket.destroy()));
    expect(await failureWith(server.port)).toMatchObject({ code: 'connect_failed' });
  });

  it('asks twice for a proof of the password, which costs as much as it wants', async () => {
    const server = await rawServer(
      (socket, _data, at) => void (at === 0 && socket.write(Buffer.concat([SCRAM, SCRAM]))),
    );
    expect(await failureWith(server.port, {}, 2_000)).toMatchObject({ code: 'connect_failed' });
  });

  it.each([
    ['rows with other columns', Buffer.concat([BEGUN, message('D', int16(2), int32(-1), int32(-1))])],
    ['rows before their columns', Buffer.concat([message('1'), message('2'), row('a')])],
    ['a count of columns that is less than none', Buffer.concat([message('1'), message('2'), message('D', int16(-1))])],
    ['that it is ready in the middle of a statement', Buffer.concat([BEGUN, message('Z', 'I')])],
    ['a row that is shorter than its values', Buffer.concat([BEGUN, message('D', int16(1), int32(9), 'abc')])],
    ['a row that is longer than its values', Buffer.concat([BEGUN, message('D', int16(1), int32(2), 'abc')])],
    ['a row without its count', Buffer.concat([BEGUN, message('D')])],
    ['a value that ends before it begins', Buffer.concat([BEGUN, message('D', int16(1), int32(-4))])],
    ['more columns than a result has', Buffer.concat([message('1'), message('2'), columnsOf(1_665)])],
    ['fewer columns than it counts', Buffer.concat([message('1'), message('2'), message('T', int16(9))])],
    ['a login in the middle of a statement', Buffer.concat([BEGUN, message('R', int32(3))])],
  ])('sends %s', async (_what, answer) => {
    const server = await talkingServer((socket) => void socket.write(answer));
    expect(await failureWith(server.port)).toMatchObject({ code: 'connect_failed' });
  });

  it('lies about the length of a value: nothing of the memory of this process comes out', async () => {
    // the driver appends what arrives to memory that had other contents, and would read a value beyond its message
    const secret = 'secret-of-others.'.repeat(20_000);
    for (let at = 0; at < 50; at += 1) Buffer.from(secret).toString('hex');
    const lying = message('D', int16(1), int32(60_000), 'x'.repeat(30_000));
    const server = await talkingServer((socket) => {
      socket.write(Buffer.concat([BEGUN, lying.subarray(0, 20_000)]));
      setImmediate(() => socket.write(Buffer.concat([lying.subarray(20_000), message('C', 'SELECT 1\0')])));
    });
    expect(await failureWith(server.port)).toMatchObject({ code: 'connect_failed' });
  });

  it('sends many empty rows of many columns, which need more memory than they have bytes', async () => {
    const empty = message('D', int16(1_664), Buffer.alloc(4 * 1_664, 0xff));
    const all = Buffer.concat([
      ...[message('1'), message('2'), columnsOf(1_664), ...Array.from({ length: 1_000 }, () => empty)],
      message('C', 'SELECT 1000\0'),
    ]);
    const server = await talkingServer((socket) => void socket.write(all));
    expect(await failureWith(server.port)).toMatchObject({
      ...{ code: 'output_too_large', message: expect.stringMatching(/rows and their columns/) as string },
    });
  });

  // together, because each of them takes seconds
  it('hangs at any step, or gives rows without end: the layer ends at its time limit, or two seconds after it', async () => {
    const first = (answer: Buffer) => rawServer((socket, _data, at) => void (at === 0 && socket.write(answer)));
    const inStatement = await talkingServer((socket) => void socket.write(BEGUN));
    const asked = Buffer.concat([...Array.from({ length: 1_000 }, () => row('x')), message('s')]);
    const ends = await Promise.all([
      failureWith((await rawServer(() => undefined)).port, {}, 500),
      failureWith((await first(LOGGED_IN)).port, {}, 500),
      failureWith((await first(LOGGED_IN.subarray(0, 3))).port, {}, 500),
      failureWith(inStatement.port, {}, 500),
      failureWith((await rowsServer(asked)).port, { mode: 'none' }, 500),
    ]);
    expect(ends.map(({ code }) => code)).toEqual(Array.from(ends, () => 'cancelled'));
    // it is asked to cancel
    const [, cancel] = inStatement.received;
    expect(cancel).toEqual(Buffer.concat([int32(16), int32(80_877_102), int32(7), int32(8)]));
  });

  it('sees no password where TLS is refused', async () => {
    const server = await rawServer((socket) => void socket.write('N'));
    const pools = poolsOver(dialerTo(server.port));
    for (const tls of ['verify', 'require'] as const) {
      const link = linkTo('postgres://weft:secret@db.example/shop', { tls });
      const failure = await failureOf(runSql(sql, { statement: 'select 1 as a' }, { pools, link }));
      expect(failure).toMatchObject({
        code: 'connect_failed',
        message: expect.stringMatching(/offers no TLS/) as string,
      });
    }
    expect(Buffer.concat(server.received).toString()).not.toContain('weft');
  });

  it.each([
    ['at once', 0],
    ['at the request for TLS', 1],
    ['in the middle of the handshake', 2],
  ])('closes the connection %s', async (_when, after) => {
    const server = await rawServer((socket, _data, at) => {
      if (at + 1 >= after) socket.destroy();
      else socket.write('S');
    });
    const link = linkTo('postgres://weft:secret@db.example/shop', {});
    const begun = performance.now();
    const failure = await failureOf(
      runSql(sql, { statement: 'select 1 as a' }, { pools: poolsOver(dialerTo(server.port)), link }),
    );
    expect(failure).toMatchObject({ code: 'connect_failed' });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it.each([
    ['a request for rows', Buffer.concat([message('1'), message('2'), message('G', '\0', int16(0))])],
    ['rows of a copy', Buffer.concat([BEGUN, message('d', 'a')])],
  ])('begins to copy with %s: it gets none, and its session is not used again', async (_what, answer) => {
    const server = await talkingServer((socket) => void socket.write(answer));
    expect(await failureWith(server.port)).toMatchObject({ code: 'invalid_args' });
    expect(server.received.join('')).not.toContain('discard all');
  });

  it('announces a large row: nothing of it is held before there is room for it', async () => {
    const large = row('x'.repeat(300_000));
    const server = await talkingServer((socket) => {
      socket.write(Buffer.concat([BEGUN, large, row('y'), message('C', 'SELECT 2\0')]));
    });
    const asked: number[] = [];
    const permits = new BytesSemaphore(4 * large.byteLength);
    const first = await permits.acquire('company', large.byteLength, new AbortController().signal);
    const room = {
      forRows: () => undefined,
      forMessage: (bytes: number) => {
        asked.push(bytes);
        queueMicrotask(() => first.release());
        return permits.acquire('company', bytes, new AbortController().signal);
      },
    };
    const pools = poolsOver(dialerTo(server.port));
    const link = linkTo('postgres://weft:secret@db.example/shop');
    const ask = {
      companyId: 'company',
      integrationId: 'db',
      link,
      playId: 'play',
      timeoutMs: 30_000,
      isReadOnly: false,
    };
    const signal = new AbortController().signal;
    const statement = ownStatement('select a from t');
    const found = await pools.use({ ...ask, signal, room }, (session) =>
      session.all(statement, { most: 9, bytes: 1e6 }),
    );
    expect(found.rows.map(({ a }) => String(a).length)).toEqual([300_000, 1]);
    expect(asked).toEqual([large.byteLength]);
    // it is free again
    await permits.acquire('company', large.byteLength, AbortSignal.timeout(1_000));
  });

  it('ends the connection in the middle of a row', async () => {
    const server = await talkingServer((socket) => {
      socket.end(Buffer.concat([BEGUN, row('whole'), row('half').subarray(0, 12)]));
    });
    expect(await failureWith(server.port)).toMatchObject({ code: 'connect_failed' });
  });

  it('sends text after its answer to the request for TLS', async () => {
    const server = await rawServer((socket) => void socket.write(Buffer.concat([Buffer.from('S'), LOGGED_IN])));
    const pools = poolsOver(dialerTo(server.port));
    const link = linkTo('postgres://weft:secret@db.example/shop', {});
    expect(await failureOf(runSql(sql, { statement: 'select 1 as a' }, { pools, link }))).toMatchObject({
      code: 'connect_failed',
    });
  });

  it('repeats the password in a row and in an error: it is removed', async () => {
    const server = await talkingServer((socket, statement) => {
      const echoed = statement.includes('fail')
        ? message('E', 'SERROR\0', 'C42601\0', 'Mnear "long-secret-word"\0', '\0')
        : Buffer.concat([BEGUN, row('is long-secret-word'), message('C', 'SELECT 1\0')]);
      socket.write(echoed);
    });
    const link = linkTo('postgres://weft:long-secret-word@db.example/shop');
    const how = { pools: poolsOver(dialerTo(server.port)), link };
    expect(await runSql(sql, { statement: 'select a from t' }, how)).toMatchObject({ rows: [{ a: 'is [secret]' }] });
    expect((await failureOf(runSql(sql, { statement: 'select fail' }, how))).message).toContain('[secret]');
  });

  it.each([
    ['23505', 'constraint_violated', 'mails_key'],
    ['22P02', 'sql_failed', null],
  ])('has a text of an error that repeats values (%s): it is not shown', async (sqlState, code, constraint) => {
    const server = await talkingServer((socket) => {
      const fields = ['SERROR', `C${sqlState}`, 'Mof "a@example.com"', 'DKey (mail)=(a@example.com)'];
      const named = constraint === null ? [] : [`n${constraint}`];
      socket.write(message('E', ...[...fields, ...named].map((text) => `${text}\0`), '\0'));
    });
    const failure = await failureWith(server.port);
    expect(failure).toMatchObject({ code, out: { sqlState, constraint } });
    expect(failure.message).not.toContain('a@example.com');
  });
});

it('the driver neither resolves nor connects: the socket of the guard leads to a host whose name nobody knows', async () => {
  const server = await talkingServer((socket) => {
    socket.write(Buffer.concat([BEGUN, row('b'), message('C', 'SELECT 1\0')]));
  });
  const dialer = dialerTo(server.port);
  const link = linkTo('postgres://weft:secret@nowhere.invalid:6543/shop');
  const out = await runSql(sql, { statement: 'select a from t' }, { pools: poolsOver(dialer), link });
  expect(out).toMatchObject({ rows: [{ a: 'b' }], rowCount: 1, fields: [{ name: 'a', type: 'text' }] });
  expect(dialer.asked).toEqual(['nowhere.invalid:6543']);
});
