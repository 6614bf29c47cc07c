import { z } from 'zod';
import { LayerFailure, type LayerContext, type Output, type WorkingModule } from '../../layer-module.js';
import { once } from '../../sql/once.js';
import { contentOf, FORMATS, labelOf } from '../../sql/rows-file.js';
import type { SqlField } from '../../sql/answer.js';
import type { Statement } from '../../sql/database.js';
import type { Session } from '../../sql/session.js';
import { faultOfStatement, looksReadOnly, statementFor, type Params } from '../../sql/statement.js';
import {
  fieldsShape,
  insertIdShape,
  integrationId,
  limitMsOf,
  MAX_ROWS,
  outOf,
  params,
  repeatable,
  rowsShape,
  ROWS_BYTES,
  statement,
  TIMEOUT_MS,
  timeoutMs,
} from '../../sql/sql-args.js';

const args = z
  .strictObject({
    integrationId,
    statement,
    params: params
      .default({})
      .describe(
        'The values: an object for :name, a list for $1, $2, … or for ? of MySQL; with mode "many" a list of these.',
      ),
    mode: z
      .enum(['rows', 'one', 'none', 'file', 'many'])
      .default('rows')
      .describe(
        'What comes out: rows; one row at most; no rows; a file of any number of rows; or the statement runs for each of params, in one transaction.',
      ),
    maxRows: z.int().min(1).max(MAX_ROWS).default(1_000).describe('More rows fail the layer: they are never cut.'),
    format: z.enum(FORMATS).optional().describe('Of the file of mode "file": csv unless told.'),
    timeoutMs,
    readOnly: z.boolean().default(false).describe('Whether the statement runs in a transaction that can only read.'),
    once: z
      .boolean()
      .default(false)
      .describe(
        'Whether the statement takes effect once, however often the layer runs for it: a row in the table weft_done says so.',
      ),
    repeatable,
  })
  .superRefine((given, context) => {
    const { mode, format, readOnly, once: isOnce } = given;
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (mode === 'many' && !Array.isArray(given.params)) refuse('params', 'mode "many" needs a list of params');
    if (mode !== 'file' && format !== undefined) refuse('format', 'only mode "file" has a format');
    if (isOnce && readOnly) refuse('once', 'what only reads needs no once');
    if (isOnce && mode === 'file') refuse('once', 'a file is not kept with the row: use another mode');
  });

type SqlArgs = z.output<typeof args>;

/**
 * Runs one statement in the database of a link. Fails with the codes of the egress dialer, `sql_failed`, `constraint_violated`,
 * `too_many_rows` and `output_too_large`.
 */
export const sql: WorkingModule<SqlArgs> = {
  appId: 'sql',
  title: 'SQL',
  description:
    'Runs a statement in a database of PostgreSQL, MySQL or MariaDB: rows, one row, a file, or many changes at once.',
  icon: 'database',
  effect: 'effect',
  timeoutMs: TIMEOUT_MS,
  programs: ['statement'],
  isNeverRepeated: (given) =>
    given.once !== true &&
    given.repeatable !== true &&
    given.readOnly !== true &&
    !(typeof given.statement === 'string' && looksReadOnly(given.statement)),
  inspect: ({ statement: text }) => {
    const fault = typeof text === 'string' ? faultOfStatement(text) : null;
    return fault === null ? null : { path: 'statement', message: fault };
  },
  argsSchema: args,
  outSchema: z.strictObject({
    rows: rowsShape.describe('Each row as an object; empty for the modes none, file and many.'),
    rowCount: z.int().describe('How many rows the statement gave or changed; of mode "many" all together.'),
    fields: fieldsShape.describe('The columns of the rows, and their types in the database.'),
    insertId: insertIdShape,
    truncated: z.literal(false).describe('Always false: rows are never cut.'),
    file: z.unknown().describe('The file of mode "file"; null otherwise.'),
  }),
  examples: [
    {
      title: 'Orders of a customer',
      args: {
        integrationId: '{{ $blueprint.database }}',
        statement: 'select id, total from orders where customer = :customer order by id',
        params: { customer: '{{ $prev.args.customer }}' },
        readOnly: true,
      },
    },
    {
      title: 'Write an order once',
      args: {
        integrationId: '{{ $blueprint.database }}',
        statement: 'insert into orders (id, total) values (:id, :total) returning id',
        params: { id: '{{ $prev.args.id }}', total: '{{ $prev.args.total }}' },
        mode: 'one',
        once: true,
      },
    },
  ],

  intentOf: ({ readOnly }) => ({ reads: readOnly, request: null }),

  async run(given, context) {
    const { mode, readOnly: isReadOnly } = given;
    const list = mode === 'many' ? (given.params as readonly unknown[]) : null;
    const limitMs = limitMsOf(given, context);
    const statements = list?.length ?? 1;
    const ask = { integrationId: given.integrationId, statements, timeoutMs: limitMs, isReadOnly };
    return context.database(ask, (session) => {
      const { engine } = session;
      const statements = list
        ? list.map((one, at) => statementFor(engine, given.statement, paramsAt(one, at), `params[${at}]`))
        : [statementFor(engine, given.statement, given.params, 'params')];
      const work = () => perform(given, statements, session, context);
      if (given.once) return once(session, context.idempotencyKey, null, work);
      return list || isReadOnly || session.isReadOnly ? session.transaction(null, work) : work();
    });
  },
};

function paramsAt(one: unknown, at: number): Params {
  if (typeof one === 'object' && one !== null) return one as Params;
  throw new LayerFailure('invalid_args', `params[${at}] is not an object or a list`);
}

async function perform(
  { mode, maxRows, format = 'csv' }: SqlArgs,
  statements: readonly Statement[],
  session: Session,
  { files, maxOutputBytes }: LayerContext,
): Promise<Output> {
  const [first] = statements;
  const nothing = { rows: [], rowCount: 0, fields: [], insertId: null, truncated: false, file: null };
  if (mode === 'none' || mode === 'many') {
    let rowCount = 0;
    let insertId: string | null = null;
    for (const one of statements) {
      const done = await session.changes(one);
      rowCount += done.rowCount;
      insertId ??= done.insertId;
    }
    return { ...nothing, rowCount, insertId };
  }
  if (!first) return nothing;
  if (mode === 'file') {
    let fields: readonly SqlField[] = [];
    let rowCount = 0;
    const batches = session.stream(first, (found) => void (fields = found));
    const counted = (async function* () {
      for await (const batch of batches) {
        rowCount += batch.length;
        yield batch;
      }
    })();
    const file = await files.store(
      contentOf(format, counted, () => fields),
      labelOf(format),
    );
    return { ...nothing, rowCount, fields: [...fields], file };
  }
  const most = mode === 'one' ? 1 : maxRows;
  const found = await session.all(first, { most, bytes: Math.min(ROWS_BYTES, maxOutputBytes) });
  return { ...nothing, ...(await outOf(found, files)) };
}
