import { EgressError } from '@weft/egress';
import { DatabaseError } from 'pg';
import { LayerFailure } from '../layer-module.js';

const SQL_STATE = /^[0-9A-Z]{5}$/;
/** Serialization, deadlock, a lock that was not free, a server that stops, and all that is of the connection. */
const PASSING = /^(?:40001|40P01|55P03|57P01|08...)$/;
const CANCELED = '57014';
const MAX_NAME_CHARS = 200;

/** Names the state and the constraint: the text of the server may repeat values of rows, and so may its details. */
export function asSqlFailure(error: unknown, host: string, masked = (text: string) => text): LayerFailure {
  if (error instanceof LayerFailure) return error;
  const failure = (code: string, message: string, out?: Record<string, unknown>, isPassing?: boolean) =>
    new LayerFailure(code, message, out, { cause: error, ...(isPassing !== undefined && { isPassing }) });
  if (error instanceof EgressError) return failure(error.code, error.message);
  if (!(error instanceof DatabaseError)) {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    return failure(
      'connect_failed',
      `the conversation with ${host} failed (${typeof code === 'string' ? code : 'ended'})`,
    );
  }
  const sqlState = SQL_STATE.test(error.code ?? '') ? (error.code ?? '') : 'unknown';
  const constraint = error.constraint?.slice(0, MAX_NAME_CHARS) ?? null;
  const out = { sqlState, constraint };
  if (sqlState === CANCELED) return failure('timeout', `${host} ended the statement at its time limit`, out);
  if (sqlState.startsWith('23')) {
    const named = constraint === null ? '' : ` "${constraint}"`;
    return failure('constraint_violated', `${host} refused the rows: constraint${named} (SQLSTATE ${sqlState})`, out);
  }
  const why = SPEAKING.test(sqlState) ? `: ${masked(textOf(error))}` : '';
  return failure(
    'sql_failed',
    `${host} refused the statement (SQLSTATE ${sqlState})${why}`,
    out,
    PASSING.test(sqlState),
  );
}

/** Classes whose texts name parts of the statement and of the schema, and no values: syntax and names, rights, transactions. */
const SPEAKING = /^(?:42...|25...|3D...|3F...|28...)$/;

function textOf({ message, position }: DatabaseError): string {
  const at = position === undefined ? '' : ` (at character ${position})`;
  return `${message.slice(0, 2 * MAX_NAME_CHARS)}${at}`;
}

/** The time limit of the layer, or that nobody wants its result any more. */
export function whyAborted({ reason }: AbortSignal, host: string): LayerFailure {
  return reason instanceof LayerFailure
    ? reason
    : new LayerFailure('cancelled', `the statement for ${host} was cancelled`, undefined, { cause: reason });
}
