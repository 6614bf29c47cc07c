import type { Said } from '../sql-failure.js';
import type { Packet } from './packet.js';

/** An error that a server of MySQL or MariaDB has sent; the driver gives those of a login the same names. */
export class MysqlError extends Error {
  constructor(
    readonly errno: number,
    readonly sqlState: string,
    readonly sqlMessage: string,
  ) {
    super(sqlMessage);
  }
}

/** @param packet of an error */
export function errorIn(packet: Packet): MysqlError {
  const errno = packet.skip(1).unsigned(2);
  const text = packet.rest().toString();
  return text.startsWith('#')
    ? new MysqlError(errno, text.slice(1, 6), text.slice(6))
    : new MysqlError(errno, '', text);
}

const GENERAL = 'HY000';
/** `max_execution_time` of MySQL and `max_statement_time` of MariaDB. */
const TIMEOUTS = [3_024, 1_969];
/** Too many connections (of all, of the user), a server that stops, a lock that was not free, and what an administrator has ended. */
const PASSING_NUMBERS = [1_040, 1_203, 1_053, 1_205, 1_317, 1_927];
/** Deadlock, and all that is of the connection. */
const PASSING_STATES = /^(?:40001|08...)$/;
/** A CHECK of MySQL, which has no state of its own. */
const CHECK = 3_819;
/** Where texts name a constraint; rows may have any value before it. */
const NAMES = [
  /for key '([^']*)'$/,
  /CONSTRAINT `([^`]*)`/,
  /^Check constraint '([^']*)'/,
  /^Column '([^']*)' cannot be null$/,
];

/** Null: the server has not said it. */
export function saidByMysql(error: unknown): Said | null {
  const { errno, sqlState = GENERAL, sqlMessage: text } = (error ?? {}) as Partial<MysqlError>;
  if (typeof errno !== 'number' || typeof text !== 'string') return null;
  const isConstraint = sqlState.startsWith('23') || errno === CHECK;
  const named = isConstraint ? NAMES.map((name) => name.exec(text)?.[1]).find((name) => name !== undefined) : undefined;
  return {
    ...{ sqlState: sqlState === '' ? GENERAL : sqlState, errno, text },
    ...(isConstraint && { constraint: named ?? null }),
    isTimeout: TIMEOUTS.includes(errno),
    isPassing: PASSING_NUMBERS.includes(errno) || PASSING_STATES.test(sqlState),
  };
}
