import { dialerTo } from '@weft/testing';
import { expect, it } from 'vitest';
import { NO_CLOCK } from '../call/call-context.js';
import { roomOf } from '../call/databases-source.js';
import { HeldMemory } from '../memory/held-memory.js';
import { sql } from '../modules/sql/sql.layer.js';
import { answerWell, message, ONE_COLUMN, row, talkingServer } from './postgres/database-server.fixture.js';
import { ownStatement } from './once.js';
import { failureOf, linkTo, poolsOver, runSql } from './sql.fixture.js';

const MB = 1024 * 1024;
/** Of one company in a worker. */
const SHARE = 50;

it('sessions with servers that answer nothing are a company’s share of them: another company has its own', async () => {
  const server = await talkingServer((socket, statement) => {
    if (!statement.includes('hang')) answerWell(socket, statement);
  });
  const pools = poolsOver(dialerTo(server.port));
  const run = (link: number, statement: string, companyId: string, signal?: AbortSignal) =>
    runSql(
      sql,
      { statement },
      {
        pools,
        companyId,
        link: linkTo(`postgres://weft:secret@db${link}.example/shop`),
        ...(signal && { context: { signal } }),
      },
    );
  const over = new AbortController();
  const hanging = Array.from({ length: 4 * SHARE }, (_one, at) =>
    failureOf(run(at, 'select hang', 'first', over.signal)),
  );
  expect(await run(0, 'select a from t', 'second')).toMatchObject({ rows: [{ a: 'x' }] });
  expect(server.received.filter((sent) => sent.includes('select hang'))).toHaveLength(SHARE);
  over.abort();
  const codes = (await Promise.all(hanging)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(['cancelled']));
  pools.close();
});

it('rows that are more than a little are held when there is room, and it is free again after the call', async () => {
  const rows = Array.from({ length: 900 }, () => row('x'.repeat(1_000)));
  const many = Buffer.concat([message('1'), message('2'), ONE_COLUMN, ...rows, message('C', 'SELECT 900\0')]);
  const server = await talkingServer((socket) => void socket.write(many));
  const pools = poolsOver(dialerTo(server.port));
  const { signal } = new AbortController();
  const memory = new HeldMemory(16 * MB);
  const holder = await memory.small.acquire('company', 4 * MB, signal);
  const ends: (() => void)[] = [];
  const clock = { ...NO_CLOCK, atEnd: (end: () => void) => void ends.push(end) };
  const running = pools.use(
    {
      ...{ companyId: 'company', integrationId: 'db', playId: 'play', timeoutMs: 30_000, isReadOnly: false, signal },
      link: linkTo('postgres://weft:secret@db.example/shop'),
      room: roomOf({ memory, loop: null, companyId: 'company', signal, clock }, 'db.example:5432'),
    },
    (session) => session.all(ownStatement('select a from t'), { most: 900, bytes: 2 * MB }),
  );
  await expect.poll(() => memory.small.isAwaited).toBe(true);
  holder.release();
  expect((await running).rows).toHaveLength(900);
  for (const end of ends) end();
  (await memory.small.acquire('company', 4 * MB, AbortSignal.timeout(1_000))).release();
  pools.close();
});
