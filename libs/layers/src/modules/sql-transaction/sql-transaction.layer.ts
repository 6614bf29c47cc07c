import { z } from 'zod';
import { LayerFailure, type Output, type WorkingModule } from '../../layer-module.js';
import { MAX_STATEMENTS } from '../../sql/limits.js';
import { once } from '../../sql/once.js';
import { ISOLATIONS } from '../../sql/database.js';
import type { Session } from '../../sql/session.js';
import { faultOfStatement, looksReadOnly, statementFor } from '../../sql/statement.js';
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

const step = z.strictObject({
  statement,
  params: params.default({}).describe('The values: an object for :name, a list for $1, $2, … or for ? of MySQL.'),
  expectRows: z
    .int()
    .min(0)
    .optional()
    .describe('How many rows the statement gives or changes: another number takes everything back.'),
});

const args = z.strictObject({
  integrationId,
  statements: z.array(step).min(1).max(MAX_STATEMENTS).describe('In this order; all of them take effect, or none.'),
  isolation: z.enum(ISOLATIONS).optional().describe('Left out, that of the database.'),
  timeoutMs,
  once: z
    .boolean()
    .default(false)
    .describe(
      'Whether they take effect once, however often the layer runs for it: a row in the table weft_done says so.',
    ),
  repeatable,
});

type TransactionArgs = z.output<typeof args>;

/**
 * Runs statements in one transaction. Fails like `sql`, and with `unexpected_rows` where a statement met another number of rows than
 * it expects.
 */
export const sqlTransaction: WorkingModule<TransactionArgs> = {
  appId: 'sql-transaction',
  title: 'SQL transaction',
  description:
    'Runs several statements in a database of PostgreSQL, MySQL or MariaDB: all of them take effect, or none.',
  icon: 'database',
  effect: 'effect',
  timeoutMs: TIMEOUT_MS,
  programs: ['statements.*.statement'],
  isNeverRepeated: ({ once: isOnce, repeatable: isRepeatable, statements }) =>
    isOnce !== true &&
    isRepeatable !== true &&
    !(Array.isArray(statements) && statements.every((one) => looksReadOnly(textIn(one)))),
  inspect: ({ statements }) => {
    const asWritten = 'is written in the layer, so that no data becomes a part of a statement';
    if (!Array.isArray(statements)) return { path: 'statements', message: `the list of statements ${asWritten}` };
    for (const [at, one] of statements.entries()) {
      const text = textIn(one);
      const fault = text === '' ? `a statement ${asWritten}` : faultOfStatement(text);
      if (fault !== null) return { path: `statements.${at}.statement`, message: fault };
    }
    return null;
  },
  argsSchema: args,
  outSchema: z.strictObject({
    results: z
      .array(
        z.strictObject({
          rows: rowsShape,
          rowCount: z.int(),
          fields: fieldsShape,
          insertId: insertIdShape,
        }),
      )
      .describe('Rows, their number and their columns, for each statement.'),
    rowCount: z.int().describe('How many rows all statements gave or changed.'),
  }),
  examples: [
    {
      title: 'Move an amount',
      args: {
        integrationId: '{{ $blueprint.database }}',
        statements: [
          {
            statement: 'update accounts set balance = balance - :amount where id = :id and balance >= :amount',
            params: { amount: '{{ $prev.args.amount }}', id: '{{ $prev.args.from }}' },
            expectRows: 1,
          },
          {
            statement: 'update accounts set balance = balance + :amount where id = :id',
            params: { amount: '{{ $prev.args.amount }}', id: '{{ $prev.args.to }}' },
            expectRows: 1,
          },
        ],
        once: true,
      },
    },
  ],

  async run(given, context) {
    const { statements, isolation = null } = given;
    const limitMs = limitMsOf(given, context);
    const ask = {
      ...{ integrationId: given.integrationId, statements: statements.length, timeoutMs: limitMs, isReadOnly: false },
    };
    return context.database(ask, (session: Session) => {
      const read = statements.map(({ statement: text, params: values, expectRows }, at) => ({
        ...statementFor(session.engine, text, values, `statements[${at}].params`),
        expectRows,
      }));
      const work = async (): Promise<Output> => {
        const results: Output[] = [];
        let rowCount = 0;
        let left = Math.min(ROWS_BYTES, context.maxOutputBytes);
        for (const [at, { expectRows, ...one }] of read.entries()) {
          const found = await session.all(one, { most: MAX_ROWS, bytes: left });
          left -= session.receivedBytes;
          if (expectRows !== undefined && found.rowCount !== expectRows) {
            const message = `statements[${at}] met ${found.rowCount} rows and expects ${expectRows}: nothing was changed`;
            throw new LayerFailure('unexpected_rows', message);
          }
          rowCount += found.rowCount;
          results.push(await outOf(found, context.files));
        }
        return { results, rowCount };
      };
      return given.once ? once(session, context.idempotencyKey, isolation, work) : session.transaction(isolation, work);
    });
  },
};

function textIn(one: unknown): string {
  if (typeof one !== 'object' || one === null) return '';
  const { statement: text } = one as { readonly statement?: unknown };
  return typeof text === 'string' ? text : '';
}
