import { EgressError } from '@weft/egress';
import { LayerFailure } from '../layer-module.js';
import { withoutSecret } from '../call/without-secret.js';
import { saidByMysql } from './mysql/said-by-mysql.js';
import { saidByPostgres } from './postgres/said-by-postgres.js';

const SQL_STATE = /^[0-9A-Z]{5}$/;
const MAX_NAME_CHARS = 200;
const MAX_TEXT_CHARS = 500;

/** What a server says of a failure. */
export interface Said {
  readonly sqlState: string;
  /** The server's own number, where it has one. */
  readonly errno?: number;
  readonly text: string;
  /** The constraint that the rows violate; null: it is not known. Undefined: it is another failure. */
  readonly constraint?: string | null;
  /** The time limit of the statement was over. */
  readonly isTimeout: boolean;
  /** Later, the same statement may succeed. */
  readonly isPassing: boolean;
}

/** Names the state and the constraint: the text of the server may repeat values of rows, and so may its details. */
export function asSqlFailure(error: unknown, host: string, masked = (text: string) => text): LayerFailure {
  if (error instanceof LayerFailure) return error;
  const failure = (code: string, message: string, out?: Record<string, unknown>, isPassing?: boolean) =>
    new LayerFailure(code, message, out, { cause: error, ...(isPassing !== undefined && { isPassing }) });
  if (error instanceof EgressError) return failure(error.code, error.message);
  const said = saidByPostgres(error) ?? saidByMysql(error);
  if (!said) {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    return failure(
      'connect_failed',
      `the conversation with ${host} failed (${typeof code === 'string' ? code : 'ended'})`,
    );
  }
  const { errno, isTimeout, isPassing } = said;
  const sqlState = SQL_STATE.test(said.sqlState) ? said.sqlState : 'unknown';
  const constraint = said.constraint ? masked(said.constraint).slice(0, MAX_NAME_CHARS) : null;
  const out = { sqlState, ...(errno !== undefined && { errno }), constraint };
  const state = errno === undefined ? `SQLSTATE ${sqlState}` : `SQLSTATE ${sqlState}, error ${errno}`;
  if (isTimeout) return failure('timeout', `${host} ended the statement at its time limit`, out);
  if (said.constraint !== undefined) {
    const named = constraint === null ? '' : ` "${constraint}"`;
    return failure('constraint_violated', `${host} refused the rows: constraint${named} (${state})`, out);
  }
  const why = SPEAKING.test(sqlState) ? `: ${masked(said.text.slice(0, MAX_TEXT_CHARS))}` : '';
  return failure('sql_failed', `${host} refused the statement (${state})${why}`, out, isPassing);
}

/** Classes whose texts name parts of the statement and of the schema, and no values: syntax and names, rights, transactions. */
const SPEAKING = /^(?:42...|25...|3D...|3F...|28...)$/;

/** The time limit of the layer, or that nobody wants its result any more. */
export function whyAborted({ reason }: AbortSignal, host: string): LayerFailure {
  return reason instanceof LayerFailure
    ? reason
    : new LayerFailure('cancelled', `the statement for ${host} was cancelled`, undefined, { cause: reason });
}

/** Removes the password of a link from what the server sends. */
export function maskOf(password: string): (text: string) => string {
  return (text) => (password !== '' && text.includes(password) ? withoutSecret(text, [password]) : text);
}
