import { DatabaseError } from 'pg';
import type { Said } from '../sql-failure.js';

/** Serialization, deadlock, a lock that was not free, a server that stops, and all that is of the connection. */
const PASSING = /^(?:40001|40P01|55P03|57P01|08...)$/;
const CANCELED = '57014';

/** Null: the server has not said it. */
export function saidByPostgres(error: unknown): Said | null {
  if (!(error instanceof DatabaseError)) return null;
  const { code: sqlState = '', message, position, constraint } = error;
  return {
    ...{ sqlState, isTimeout: sqlState === CANCELED, isPassing: PASSING.test(sqlState) },
    ...(sqlState.startsWith('23') && { constraint: constraint ?? null }),
    text: position === undefined ? message : `${message.slice(0, 400)} (at character ${position})`,
  };
}
