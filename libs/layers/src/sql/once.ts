/** What is done once however often it is asked for: its key is stored in the same transaction, in the database itself. */
import { parseJson, writeJson } from '@weft/kernel';
import { LayerFailure, type Output } from '../layer-module.js';
import type { Isolation, Statement } from './database.js';
import type { Engine } from './database-place.js';
import type { Session } from './session.js';

interface Texts {
  readonly table: string;
  /** Changes no row, or is refused as a duplicate, where the key is there; a transaction that marks it at the same time is waited for. */
  readonly mark: string;
  readonly find: string;
  /** The output, and the key. */
  readonly keep: string;
}

const TEXTS: Readonly<Record<Engine, Texts>> = {
  postgres: {
    table: 'create table weft_done (key text primary key, out text, done_at timestamptz not null default now())',
    mark: 'insert into weft_done (key) values ($1) on conflict do nothing',
    find: 'select out from weft_done where key = $1',
    keep: 'update weft_done set out = $1 where key = $2',
  },
  mysql: {
    table:
      'create table weft_done (`key` varchar(255) character set ascii collate ascii_bin primary key, `out` mediumtext character set utf8mb4, done_at timestamp not null default current_timestamp) engine = InnoDB',
    mark: 'insert into weft_done (`key`) values (?)',
    find: 'select `out` from weft_done where `key` = ?',
    keep: 'update weft_done set `out` = ? where `key` = ?',
  },
};
const BYTES = 1024 * 1024;
const NO_TABLE: readonly unknown[] = ['42P01', '42S02'];
const NOT_SERIALIZABLE = '40001';
/** Of MySQL. */
const DUPLICATE = 1_062;

/** The output of the first time. @throws LayerFailure `invalid_args` where the database has no table for it */
export function once(
  session: Session,
  key: string,
  isolation: Isolation | null,
  work: () => Promise<Output>,
): Promise<Output> {
  const texts = TEXTS[session.engine];
  let isMarked = false;
  const attempt = () =>
    session.transaction(isolation, async () => {
      const { rowCount } = await session.changes(ownStatement(texts.mark, key)).catch(explain(texts.table));
      if (rowCount === 0) return outputOf(session, texts, key);
      isMarked = true;
      const out = await work();
      const text = writeJson(out).json ?? 'null';
      if (Buffer.byteLength(text) > BYTES) {
        throw new LayerFailure(
          'output_too_large',
          `once keeps the output, which has more than ${BYTES} bytes: use mode "none"`,
        );
      }
      await session.changes(ownStatement(texts.keep, text, key));
      return out;
    });
  return attempt().catch((error: unknown) => {
    // marked after this transaction took its snapshot: the next one sees it
    if (!isMarked && error instanceof LayerFailure && error.out?.sqlState === NOT_SERIALIZABLE) return attempt();
    throw error;
  });
}

/** A statement of Weft itself. */
export function ownStatement(text: string, ...values: readonly unknown[]): Statement {
  return { text, values, where: 'once', firstWord: '' };
}

async function outputOf(session: Session, { find }: Texts, key: string): Promise<Output> {
  const { rows } = await session.all(ownStatement(find, key), { most: 1, bytes: 2 * BYTES });
  const out = rows[0]?.out;
  if (typeof out === 'string') return parseJson(out) as Output;
  throw new LayerFailure(
    'sql_failed',
    'the row of this layer in weft_done has no output: something else has written it',
  );
}

function explain(table: string) {
  return (error: unknown): { readonly rowCount: number } => {
    if (!(error instanceof LayerFailure)) throw error;
    if (error.out?.errno === DUPLICATE) return { rowCount: 0 };
    if (!NO_TABLE.includes(error.out?.sqlState)) throw error;
    const message = `once needs a table in the database of the integration: ${table}`;
    throw new LayerFailure('invalid_args', message, undefined, { cause: error });
  };
}
