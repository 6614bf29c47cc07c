/** What is done once however often it is asked for: its key is stored in the same transaction, in the database itself. */
import { parseJson, writeJson } from '@weft/kernel';
import { LayerFailure, type Output } from '../layer-module.js';
import type { Isolation, Session } from './session.js';

const TABLE = 'create table weft_done (key text primary key, out text, done_at timestamptz not null default now())';
const BYTES = 1024 * 1024;
const NO_TABLE = '42P01';
const NOT_SERIALIZABLE = '40001';

/** The output of the first time. @throws LayerFailure `invalid_args` where the database has no table for it */
export function once(
  session: Session,
  key: string,
  isolation: Isolation | null,
  work: () => Promise<Output>,
): Promise<Output> {
  let isMarked = false;
  const attempt = () =>
    session.transaction(isolation, async () => {
      const mark = {
        text: 'insert into weft_done (key) values ($1) on conflict do nothing',
        values: [key],
        where: 'key',
      };
      // a transaction that marks it at the same time is waited for
      if ((await session.changes(mark).catch(explain)) === 0) return outputOf(session, key);
      isMarked = true;
      const out = await work();
      const text = writeJson(out).json ?? 'null';
      if (Buffer.byteLength(text) > BYTES) {
        throw new LayerFailure(
          'output_too_large',
          `once keeps the output, which has more than ${BYTES} bytes: use mode "none"`,
        );
      }
      const keep = { text: 'update weft_done set out = $2 where key = $1', values: [key, text], where: 'out' };
      await session.changes(keep);
      return out;
    });
  return attempt().catch((error: unknown) => {
    // marked after this transaction took its snapshot: the next one sees it
    if (!isMarked && error instanceof LayerFailure && error.out?.sqlState === NOT_SERIALIZABLE) return attempt();
    throw error;
  });
}

async function outputOf(session: Session, key: string): Promise<Output> {
  const statement = { text: 'select out from weft_done where key = $1', values: [key], where: 'key' };
  const { rows } = await session.all(statement, { most: 1, bytes: 2 * BYTES });
  return parseJson(String(rows[0]?.out)) as Output;
}

function explain(error: unknown): never {
  if (error instanceof LayerFailure && error.out?.sqlState === NO_TABLE) {
    throw new LayerFailure(
      'invalid_args',
      `once needs a table in the database of the integration: ${TABLE}`,
      undefined,
      {
        cause: error,
      },
    );
  }
  throw error;
}
