import { dialerTo, rawServer } from '@weft/testing';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { LayerFailure, type LayerFiles } from '../layer-module.js';
import { sql } from '../modules/sql/sql.layer.js';
import * as mysql from './mysql/mysql-server.fixture.js';
import * as postgres from './postgres/database-server.fixture.js';
import { linkTo, poolsOver, runSql } from './sql.fixture.js';

const { message, int16, int32 } = postgres;
/** A search: SQL_FUZZ_RUNS=5000. */
const RUNS = Number(process.env.SQL_FUZZ_RUNS ?? 100);
const AT_ONCE = 100;
/** Of all of them together: with less, a busy machine would cancel those that have not begun. */
const LIMIT_MS = 3_000;
const CODES =
  /^(connect_failed|output_too_large|too_many_rows|invalid_args|sql_failed|constraint_violated|timeout|cancelled)$/;

/** What servers say well, one piece after the other, whatever is asked. */
const SAID = {
  mysql: [
    mysql.greeting(),
    mysql.ok(2),
    mysql.ok(1),
    Buffer.concat([mysql.prepared(), mysql.ONE_COLUMN, mysql.row(4, 'x'), mysql.row(5, '{"a":[1]}'), mysql.end(6)]),
    mysql.ok(1),
  ],
  postgres: [
    Buffer.concat([
      message('R', int32(0)),
      message('S', 'a\0b\0'),
      message('K', int32(7), int32(8)),
      message('Z', 'I'),
    ]),
    Buffer.concat([message('1'), message('2'), message('n'), message('C', 'SET\0'), message('Z', 'I')]),
    Buffer.concat([
      ...[message('1'), message('2'), postgres.ONE_COLUMN, postgres.row('{a,"b,c",{d}}'), postgres.row('2026-01-01')],
      ...[message('N', 'SNOTICE\0', 'Mso\0', '\0'), message('C', 'SELECT 2\0'), message('Z', 'I')],
    ]),
    Buffer.concat([message('t', int16(1), int32(3802)), message('E', 'SERROR\0', 'C42601\0', 'Mno\0', '\0')]),
  ],
} as const;
/** Types of columns with readers of their own. */
const TYPES = [16, 17, 20, 700, 1082, 1114, 1184, 1186, 114, 3802, 1007, 1009, 1231, 2950];

/** Numbers that are the same for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state >>> 4) % below;
  };
}

function changed(bytes: Buffer, next: (below: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = next(copy.byteLength);
  switch (next(6)) {
    case 0:
      copy[at] = next(256);
      return copy;
    case 1:
      copy[at] = [0, 1, 0x7f, 0x80, 0xfb, 0xfe, 0xff][next(7)] ?? 0;
      return copy;
    case 2:
      return copy.subarray(0, at);
    case 3:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(next(at + 1))]);
    case 4:
      if (at + 4 <= copy.byteLength) copy.writeUInt32BE(TYPES[next(TYPES.length)] ?? 0, at);
      return copy;
    default:
      return Buffer.concat([copy, copy.subarray(at)]);
  }
}

const files: LayerFiles = {
  open: () => Promise.reject(new Error('no file is opened')),
  store: async (content) => {
    await buffer(content);
    throw new LayerFailure('output_too_large', 'the rows have come to their end');
  },
};

type Engine = keyof typeof SAID;

/** How a layer ends at a server whose words were changed by this seed. */
async function endOf(engine: Engine, seed: number): Promise<string> {
  const next = numbersFrom(seed);
  const said: Buffer[] = [...SAID[engine]];
  for (let changes = next(3); changes >= 0; changes -= 1) {
    const which = next(said.length);
    said[which] = changed(said[which] ?? Buffer.alloc(1), next);
  }
  // the one of MySQL speaks first
  const hello = engine === 'mysql' ? said.shift() : undefined;
  const server = await rawServer((socket, _data, at) => {
    const answer = said[at % said.length] ?? Buffer.alloc(0);
    const cut = next(answer.byteLength + 1);
    socket.write(answer.subarray(0, cut));
    setImmediate(() => socket.destroyed || socket.write(answer.subarray(cut)));
  }, hello);
  const pools = poolsOver(dialerTo(server.port));
  const link = linkTo(`${engine}://weft:long-secret-word@db.example/shop`);
  const mode = (['rows', 'none', 'file'] as const)[next(3)];
  const context = { signal: AbortSignal.timeout(LIMIT_MS), timeoutMs: LIMIT_MS, files };
  try {
    await runSql(sql, { statement: 'select a from t', mode }, { pools, link, context });
    return 'rows';
  } catch (error) {
    return error instanceof LayerFailure ? error.code : `${seed}: ${String(error)}`;
  } finally {
    pools.close();
  }
}

/** How often layers end how. */
async function endsOf(engine: Engine): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (let first = 0; first < RUNS; first += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, at) => endOf(engine, first + at));
    for (const end of await Promise.all(some)) ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return ends;
}

it('whatever a server says, the layer ends with rows or with a failure of its own, and harms nothing else', async () => {
  for (const ends of await Promise.all([endsOf('mysql'), endsOf('postgres')])) {
    expect([...ends.keys()].filter((end) => end !== 'rows' && !CODES.test(end))).toEqual([]);
    // they were not all refused by their first words
    expect(ends.size).toBeGreaterThan(2);
  }
}, 60_000);
