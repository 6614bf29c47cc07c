import { dialerTo, rawServer, type RawServer, waitFor } from '@weft/testing';
import { constants, createHash, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { LayerFiles } from '../../layer-module.js';
import { sql } from '../../modules/sql/sql.layer.js';
import { failureOf, linkTo, poolsOver, runSql } from '../sql.fixture.js';
import {
  column,
  end,
  error,
  greeting,
  NATIVE,
  NONCE,
  ok,
  ONE_COLUMN,
  packet,
  prepared,
  row,
  SHA2,
  talkingServer,
  withTls,
} from './mysql-server.fixture.js';

const LINK = linkTo('mysql://weft:long-secret-word@db.example/shop');

function runAt(port: number, args: Readonly<Record<string, unknown>> = {}, timeoutMs = 30_000, link = LINK) {
  const signal = AbortSignal.timeout(timeoutMs);
  const context = { signal, timeoutMs, files };
  return runSql(sql, { statement: 'select a from t', ...args }, { pools: poolsOver(dialerTo(port)), link, context });
}
const failureWith = (...how: Parameters<typeof runAt>) => failureOf(runAt(...how));

const files: LayerFiles = {
  open: () => Promise.reject(new Error('no file is opened')),
  store: async (content) => {
    await buffer(content);
    throw new Error('the rows have come to their end');
  },
};

/** Numbered rows without end, from 4. */
function flood(socket: Socket, size: number): void {
  let seq = 4;
  const go = (): void => {
    if (socket.destroyed) return;
    const rows = Array.from({ length: 64 }, () => row(seq++, 'x'.repeat(size)));
    socket.write(Buffer.concat(rows), () => setImmediate(go));
  };
  socket.write(ONE_COLUMN);
  go();
}

describe('a hostile server', () => {
  it.each([
    ['speaks HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['greets with another protocol', packet(0, 9, 'old\0')],
    ['sends an empty packet', packet(0)],
    ['sends a greeting that ends in the middle', packet(0, 10, '8.4.0\0', 1, 2, 3)],
    ['begins with a number that is not its own', packet(3, 10, '8.4.0\0')],
    ['greets twice', Buffer.concat([greeting(), greeting()])],
    ['lets in before it has greeted', ok(0)],
  ])('%s', async (_what, hello) => {
    const server = await rawServer(() => undefined, hello);
    expect(await failureWith(server.port, {}, 3_000)).toMatchObject({ code: 'connect_failed' });
  });

  it('is full, which may pass, and may say so before it greets', async () => {
    const server = await rawServer(() => undefined, packet(0, 0xff, 0x10, 0x04, 'Too many connections'));
    expect(await failureWith(server.port)).toMatchObject({ code: 'sql_failed', isPassing: true, out: { errno: 1040 } });
  });

  it.each([
    ['asks for the password as it is', packet(2, 0xfe, 'mysql_clear_password\0')],
    ['asks for the password in another way that gives it away', packet(2, 0xfe, 'dialog\0', NONCE)],
    ['asks for a way with the name of a property', packet(2, 0xfe, '__proto__\0', NONCE)],
    ['asks for a second factor', packet(2, 0x02, `${NATIVE}\0`, NONCE)],
    ['asks for a file in the middle of the login', packet(2, 0xfb, '/etc/passwd')],
    ['lets in, and goes on', Buffer.concat([ok(2), ok(3)])],
    ['answers with a number that is not the next', ok(5)],
    ['closes the connection', null],
  ])('%s: it does not learn it', async (_what, answer) => {
    const server = await rawServer((socket) => void (answer ? socket.write(answer) : socket.destroy()), greeting());
    expect(await failureWith(server.port, {}, 3_000)).toMatchObject({ code: 'connect_failed' });
    expect(Buffer.concat([...server.received]).toString('latin1')).not.toContain('long-secret-word');
  });

  it('asks to change the way of the login without end', async () => {
    const server = await rawServer((socket, data) => {
      socket.write(packet(data.readUInt8(3) + 1, 0xfe, `${NATIVE}\0`, NONCE, 0));
    }, greeting());
    expect(await failureWith(server.port, {}, 3_000)).toMatchObject({ code: 'connect_failed' });
    expect(server.received[0]?.byteLength).toBeLessThan(1_000);
  });

  it('sends no password in clear, and no user, where TLS is refused', async () => {
    const server = await rawServer(() => undefined, greeting());
    for (const tls of ['verify', 'require'] as const) {
      const link = linkTo('mysql://weft:long-secret-word@db.example/shop', { tls });
      expect(await failureWith(server.port, {}, 3_000, link)).toMatchObject({
        ...{ code: 'connect_failed', message: expect.stringMatching(/offers no TLS/) as string },
      });
    }
    expect(Buffer.concat([...server.received]).toString('latin1')).not.toContain('weft');
  });

  it.each([
    ['something more', Buffer.from([7, 0])],
    ['that the user is in', ok(1)],
    ['that the user is in, after the request for TLS', ok(2)],
  ])('says %s with its greeting, which TLS would not protect', async (_what, more) => {
    const hello = Buffer.concat([greeting({ capabilities: withTls }), more]);
    const server = await rawServer(() => undefined, hello);
    const link = linkTo('mysql://weft:long-secret-word@db.example/shop', {});
    expect(await failureWith(server.port, {}, 3_000, link)).toMatchObject({ code: 'connect_failed' });
    expect(Buffer.concat([...server.received]).toString('latin1')).not.toMatch(/weft|select/);
  });

  it.each([
    ['at the request for TLS', (socket: Socket) => void socket.destroy()],
    ['with something that is not TLS', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('ends TLS %s', async (_when, act) => {
    const server = await rawServer((socket) => act(socket), greeting({ capabilities: withTls }));
    const link = linkTo('mysql://weft:long-secret-word@db.example/shop', {});
    expect(await failureWith(server.port, {}, 3_000, link)).toMatchObject({
      ...{ code: 'connect_failed', message: expect.stringMatching(/no TLS could be made/) as string },
    });
    expect(Buffer.concat([...server.received]).toString('latin1')).not.toContain('weft');
  });

  it.each([
    ['asks for a file of this machine', packet(1, 0xfb, '/etc/passwd')],
    ['has no columns', packet(1, 0xfc, 0, 0)],
    ['has more columns than a table', packet(1, 0xfd, 0, 0, 1)],
    ['counts columns in 64 bits', packet(1, 0xfe, Buffer.alloc(8, 0xff))],
    ['has a number of columns, and more', packet(1, 1, 1)],
    ['ends its columns before all have come', Buffer.concat([packet(1, 2), column(2, 'a'), end(3), row(4, 'x')])],
    ['has more columns than it counts', Buffer.concat([packet(1, 1), column(2, 'a'), column(3, 'b'), end(4)])],
    ['has a column that is cut off', Buffer.concat([packet(1, 1), packet(2, 3, 'def', 200, 'x')])],
    ['sends a row before its columns', row(1, 'x')],
    ['has a row that is shorter than its values', Buffer.concat([ONE_COLUMN, packet(4, 0, 0, 200, 'abc')])],
    ['has a row that is longer than its values', Buffer.concat([ONE_COLUMN, packet(4, 0, 0, 2, 'abc')])],
    ['has a value of 2^64 bytes', Buffer.concat([ONE_COLUMN, packet(4, 0, 0, 0xfe, Buffer.alloc(8, 0xff))])],
    ['has a row without its nulls', Buffer.concat([ONE_COLUMN, packet(4, 0)])],
    ['leaves a number out', Buffer.concat([ONE_COLUMN, row(4, 'x'), row(6, 'y')])],
    ['has more results than one', Buffer.concat([ONE_COLUMN, row(4, 'x'), end(5, 8)])],
    ['goes on after the end', Buffer.concat([ONE_COLUMN, row(4, 'x'), end(5), row(6, 'y')])],
    ['ends with an OK that is cut off', packet(1, 0, 0)],
    [
      'has a time that is as long as none',
      Buffer.concat([packet(1, 1), column(2, 'a', 12), end(3), packet(4, 0, 0, 5, 1, 2, 3, 4, 5)]),
    ],
  ])('%s', async (_what, answer) => {
    const server = await talkingServer((socket) => void socket.write(answer));
    expect(await failureWith(server.port, {}, 3_000)).toMatchObject({ code: 'connect_failed' });
    expect(server.received.join('')).not.toContain('root:');
  });

  it.each([
    ['prepares something else', packet(1, 1, 2, 3)],
    [
      'prepares with other places',
      Buffer.concat([prepared(3), column(2, '?'), column(3, '?'), column(4, '?'), end(5)]),
    ],
    [
      'prepares with descriptions without end',
      Buffer.concat([
        prepared(0, 65_535),
        ...Array.from({ length: 60 }, (_one, at) => column(2 + at, 'x'.repeat(40_000))),
      ]),
    ],
  ])('%s', async (_what, answer) => {
    const server = await rawServer((socket, data, at) => {
      if (at === 0) socket.write(ok(2));
      else socket.write(data[4] === 0x16 ? answer : ok(1));
    }, greeting());
    expect((await failureWith(server.port, { mode: 'none' }, 500)).code).toMatch(
      /connect_failed|invalid_args|cancelled|output_too_large/,
    );
  });

  it('announces a packet of 16 MB, which goes on in another: nothing of it is held', async () => {
    const server = await talkingServer((socket) => {
      socket.write(Buffer.concat([ONE_COLUMN, Buffer.from([0xff, 0xff, 0xff, 4])]));
    });
    expect(await failureWith(server.port)).toMatchObject({
      ...{ code: 'output_too_large', message: expect.stringMatching(/16777216 bytes/) as string },
    });
  });

  it.each([
    [{ mode: 'rows', maxRows: 10_000 }, /output_too_large/],
    [{ mode: 'rows', maxRows: 100 }, /too_many_rows/],
    [{ mode: 'file' }, /output_too_large/],
  ])('sends rows without end: they are bounded, with %j', async (args, code) => {
    const server = await talkingServer((socket) => flood(socket, 30_000));
    expect((await failureWith(server.port, args)).code).toMatch(code);
  });

  it('sends many rows of empty values, which need more memory than they have bytes', async () => {
    const names = Array.from({ length: 4_096 }, (_one, at) => `column_${at}`);
    const empty = (seq: number) => packet(seq, 0, Buffer.alloc((names.length + 9) >> 3, 0xff));
    const columns = names.map((name, at) => column(2 + at, name));
    const rows = Array.from({ length: 900 }, (_one, at) => empty(3 + names.length + at));
    const all = Buffer.concat([packet(1, 0xfc, 0, 16), ...columns, end(2 + names.length), ...rows]);
    const server = await talkingServer((socket) => void socket.write(all));
    expect(await failureWith(server.port)).toMatchObject({
      ...{ code: 'output_too_large', message: expect.stringMatching(/rows and their columns/) as string },
    });
  });

  it('hangs within a statement: it is asked over another connection to end it, and left after two seconds', async () => {
    const server = await talkingServer((socket) => void socket.write(ONE_COLUMN));
    expect(await failureWith(server.port, {}, 500)).toMatchObject({ code: 'cancelled' });
    expect(server.received[1]?.toString('latin1')).toContain('kill 7');
  });

  it('does not keep the time limit of a statement: it is left', async () => {
    const server = await talkingServer((socket) => void socket.write(ONE_COLUMN));
    expect(await failureWith(server.port, { timeoutMs: 100 })).toMatchObject({ code: 'timeout' });
  });

  it('speaks while nobody asks: its session is not used again', async () => {
    const sockets: Socket[] = [];
    const server = await talkingServer((socket) => {
      sockets.push(socket);
      socket.write(Buffer.concat([ONE_COLUMN, row(4, 'x'), end(5)]));
    });
    const pools = poolsOver(dialerTo(server.port));
    const run = () => runSql(sql, { statement: 'select a from t' }, { pools, link: LINK });
    await run();
    const [first] = sockets;
    await waitFor(() => server.received[0]?.at(-1) === 0x1f, { what: 'the reset of the session' });
    first?.write(ok(2));
    await waitFor(() => first?.closed === true, { what: 'the session to end' });
    expect(await run()).toMatchObject({ rows: [{ a: 'x' }] });
    expect(server.received).toHaveLength(2);
    pools.close();
  });

  it('repeats the password in a row and in an error: it is removed', async () => {
    const server = await talkingServer((socket, statement) => {
      const echoed = statement.includes('fail')
        ? error(1, 1064, '42000', 'near "long-secret-word"')
        : Buffer.concat([ONE_COLUMN, row(4, 'is long-secret-word'), end(5)]);
      socket.write(echoed);
    });
    expect(await runAt(server.port)).toMatchObject({ rows: [{ a: 'is [secret]' }] });
    const failure = await failureWith(server.port, { statement: 'select fail' });
    expect(failure.message).toContain('[secret]');
  });

  it('repeats the password in the name of a constraint, and of columns of any length: it is removed, and they are cut', async () => {
    const odd = `long-secret-word ${'x'.repeat(30_000)}`;
    const server = await talkingServer((socket, statement) => {
      const two = Buffer.concat([packet(1, 2), column(2, odd), column(3, odd), end(4)]);
      socket.write(statement.includes('two') ? two : error(1, 1062, '23000', `Duplicate entry 'a' for key '${odd}'`));
    });
    for (const statement of ['select two', 'insert into t values (1)']) {
      const { message, out } = await failureWith(server.port, { statement });
      expect(message).toContain('[secret]');
      expect(JSON.stringify([message, out])).not.toContain('long-secret-word');
      expect(message.length).toBeLessThan(500);
    }
  });

  it.each([
    [
      1062,
      '23000',
      "Duplicate entry 'a@example.com' for key 'mails.mails_key'",
      'constraint_violated',
      'mails.mails_key',
      false,
    ],
    [1366, 'HY000', "Incorrect integer value: 'a@example.com' for column 'id' at row 1", 'sql_failed', null, false],
    [3819, 'HY000', "Check constraint 'mails_check' is violated.", 'constraint_violated', 'mails_check', false],
    [1213, '40001', 'Deadlock found when trying to get lock', 'sql_failed', null, true],
    [1205, 'HY000', 'Lock wait timeout exceeded', 'sql_failed', null, true],
    [3024, 'HY000', 'Query execution was interrupted', 'timeout', null, undefined],
  ])(
    'fails with error %i: values of rows are not shown',
    async (errno, sqlState, message, code, constraint, isPassing) => {
      const server = await talkingServer((socket) => void socket.write(error(1, errno, sqlState, message)));
      const failure = await failureWith(server.port);
      expect(failure).toMatchObject({ code, out: { sqlState, errno, constraint } });
      if (code === 'sql_failed') expect(failure.isPassing).toBe(isPassing);
      expect(failure.message).not.toContain('a@example.com');
    },
  );

  it('has columns of types that nobody knows, and of MySQL itself', async () => {
    const columns = [column(2, 'a', 0xf5, 63), column(3, 'b', 200, 45), end(4)];
    const server = await talkingServer((socket) => {
      socket.write(
        Buffer.concat([
          packet(1, 2),
          ...columns,
          row(5, '{"a":7615917337495251231}', 'x'),
          row(6, 'not json', 'y'),
          end(7),
        ]),
      );
    });
    expect(await runAt(server.port)).toMatchObject({
      rows: [
        { a: { a: 7615917337495251231n }, b: 'x' },
        { a: 'not json', b: 'y' },
      ],
      fields: [
        { name: 'a', type: 'json' },
        { name: 'b', type: 'text' },
      ],
    });
  });
});

it('the driver neither resolves nor connects: the socket of the guard leads to a host whose name nobody knows', async () => {
  const server = await talkingServer((socket) => void socket.write(Buffer.concat([ONE_COLUMN, row(4, 'b'), end(5)])));
  const dialer = dialerTo(server.port);
  const link = linkTo('mysql://weft:secret@nowhere.invalid:6543/shop');
  const out = await runSql(sql, { statement: 'select a from t' }, { pools: poolsOver(dialer), link });
  expect(out).toMatchObject({ rows: [{ a: 'b' }], rowCount: 1, fields: [{ name: 'a', type: 'varchar' }] });
  expect(dialer.asked).toEqual(['nowhere.invalid:6543']);
  // a file of this machine, several statements, several results, compression, notes on the session, attributes of a statement
  const offered = server.received[0]?.readUInt32LE(4) ?? 0;
  const never = [0x80, 0x1_00_00, 0x2_00_00, 0x4_00_00, 0x20, 0x80_00_00, 0x8_00_00_00];
  expect(never.filter((flag) => (offered & flag) !== 0)).toEqual([]);
});

describe('a login of MySQL 8', () => {
  const sha256 = (...parts: readonly (Buffer | string)[]): Buffer =>
    parts.reduce<ReturnType<typeof createHash>>((hash, part) => hash.update(part), createHash('sha256')).digest();
  const proof = (password: string): Buffer => {
    const once = sha256(password);
    const mixed = sha256(sha256(once), NONCE);
    return Buffer.from(once.map((byte, at) => byte ^ (mixed[at] ?? 0)));
  };
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });

  /** @param knows whether the server has the proof of the password, or asks for it by its key */
  function mysql8(knows: boolean): Promise<RawServer> {
    return rawServer(
      (socket, data, at) => {
        const seq = data.readUInt8(3) + 1;
        if (at === 0) {
          const isProven = data.includes(proof('long-secret-word'));
          if (!isProven) socket.write(error(seq, 1045, '28000', 'Access denied'));
          else socket.write(knows ? Buffer.concat([packet(seq, 1, 3), ok(seq + 1)]) : packet(seq, 1, 4));
        } else if (!knows && at === 1) socket.write(packet(seq, 1, pem));
        else if (!knows && at === 2) {
          const padding = constants.RSA_PKCS1_OAEP_PADDING;
          const mixed = privateDecrypt({ key: privateKey, padding }, data.subarray(4));
          const password = Buffer.from(mixed.map((byte, place) => byte ^ (NONCE[place % 20] ?? 0))).toString();
          socket.write(password === 'long-secret-word\0' ? ok(seq) : error(seq, 1045, '28000', 'Access denied'));
        } else if (data[4] === 0x16) socket.write(prepared());
        else if (data[4] === 0x17) socket.write(Buffer.concat([ONE_COLUMN, row(4, 'in'), end(5)]));
        else socket.write(ok(1));
      },
      greeting({ plugin: SHA2 }),
    );
  }

  it.each([true, false])('proves the password, also by the key of the server (known: %s)', async (knows) => {
    const server = await mysql8(knows);
    expect(await runAt(server.port)).toMatchObject({ rows: [{ a: 'in' }] });
    expect(Buffer.concat([...server.received]).toString('latin1')).not.toContain('long-secret-word');
    const wrong = linkTo('mysql://weft:wrong@db.example/shop');
    expect(await failureWith(server.port, {}, 3_000, wrong)).toMatchObject({
      code: 'sql_failed',
      out: { sqlState: '28000' },
    });
  });
});
