/**
 * MySQL and MariaDB. The driver logs in over the guarded socket and then hears nothing more: answers are read here, because every hole
 * of the drivers was in how they read rows, and because their rows lose what their types do not hold.
 */
import { createConnection, type Connection } from 'mysql2';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { LayerFailure } from '../../layer-module.js';
import type { Answer } from '../answer.js';
import type { Database, Isolation, LogIn, SessionUse, Standing, Statement, Ways } from '../database.js';
import { offersNoTls, type DatabasePlace } from '../database-place.js';
import { maskOf } from '../sql-failure.js';
import { Command, Execution, type Exchange, type Line, type Prepared } from './exchange.js';
import { MysqlGuard } from './mysql-guard.js';
import { Packet } from './packet.js';

/** What the driver says that it can do, and what answers would be longer for. */
const NOT_SPOKEN = [
  'LOCAL_FILES',
  'MULTI_RESULTS',
  'SESSION_TRACK',
  'CLIENT_QUERY_ATTRIBUTES',
  'CONNECT_ATTRS',
  'ODBC',
];
const EXTENDED_METADATA = 1 << 3;
/** A statement means the same on every server; a value that does not fit is refused, and not cut. */
const SQL_MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/** What the driver gives out of a greeting. */
interface Greeting {
  readonly serverVersion: string;
  readonly connectionId: number;
  readonly mariadbExtendedCapabilityFlags: number;
}

/** What the driver's connection has and its types leave out. */
interface Upgrading {
  startTLS(done: () => void): void;
}

export const logInToMysql: LogIn = async (place, ways, signal) => {
  const socket = await ways.dial(signal);
  ways.opened(socket);
  const guard = new MysqlGuard(socket, place.host);
  ways.opened(guard);
  const { host, port, user, password, tls } = place;
  const connection = createConnection({
    ...{ host, port, user, password, database: place.schema ?? place.database, stream: () => guard },
    ...{ charset: 'UTF8MB4_GENERAL_CI', connectTimeout: 0, flags: NOT_SPOKEN.map((flag) => `-${flag}`) },
    ...(tls !== 'off' && { ssl: {} }),
  });
  connection.on('error', () => guard.destroy());
  // the driver would make TLS by its own rules
  (connection as unknown as Upgrading).startTLS = (done) => {
    guard.secure<Socket>((raw) => ways.encrypt(raw, signal)).then(done, (error: Error) => guard.destroy(error));
  };
  const greeting = await loggedIn(connection, guard, place);
  return new MysqlDatabase(guard, place, greeting, ways);
};

async function loggedIn(connection: Connection, guard: MysqlGuard, place: DatabasePlace): Promise<Greeting> {
  const gone = new AbortController();
  guard.once('close', () => gone.abort());
  try {
    const [greeting] = (await once(connection, 'connect', { signal: gone.signal })) as [Greeting];
    return greeting;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'HANDSHAKE_NO_SSL_SUPPORT' ? offersNoTls(place) : (guard.errored ?? error);
  } finally {
    guard.removeAllListeners('data');
  }
}

class MysqlDatabase implements Database, Line {
  readonly engine = 'mysql';
  readonly isExtended: boolean;
  readonly masked: (text: string) => string;
  prepared: Prepared | null = null;
  private readonly isMariadb: boolean;
  private readonly id: number;
  private current: Exchange | null = null;

  constructor(
    readonly guard: MysqlGuard,
    place: DatabasePlace,
    { serverVersion, connectionId, mariadbExtendedCapabilityFlags }: Greeting,
    private readonly ways: Ways,
  ) {
    this.masked = maskOf(place.password);
    this.isMariadb = /mariadb/i.test(serverVersion);
    this.isExtended = (mariadbExtendedCapabilityFlags & EXTENDED_METADATA) !== 0;
    this.id = connectionId;
    guard.on('data', (packets: Buffer) => this.hear(packets));
    guard.on('close', () => this.current?.lose(guard.errored ?? new Error('the connection has ended')));
  }

  run(statement: Statement, standing: Standing): Answer {
    const fault = faultOf(statement, standing);
    if (fault !== null) throw new LayerFailure('invalid_args', fault);
    return this.begin(new Execution(this, statement, standing));
  }

  say(command: string): Answer {
    return this.begin(new Command(this, command));
  }

  settle({ timeoutMs }: SessionUse): Answer {
    const seconds = Math.max(1, Math.ceil(timeoutMs / 1_000));
    // what nobody continues ends with its connection; a statement that waits for a lock ends by itself
    const waits = ['wait_timeout', 'net_write_timeout', 'innodb_lock_wait_timeout', 'lock_wait_timeout'];
    const limit = this.isMariadb
      ? `max_statement_time = ${Math.ceil(timeoutMs) / 1_000}`
      : `max_execution_time = ${Math.ceil(timeoutMs)}`;
    const settings = [
      ...['names utf8mb4', 'autocommit = 0', "time_zone = '+00:00'", `sql_mode = '${SQL_MODE}'`],
      ...[...waits.map((name) => `${name} = ${seconds}`), limit],
    ];
    return this.say(`set ${settings.join(', ')}`);
  }

  begins(isolation: Isolation | null, isReadOnly: boolean): readonly string[] {
    const level = isolation === null ? [] : [`set transaction isolation level ${isolation}`];
    return [...level, `start transaction${isReadOnly ? ' read only' : ''}`];
  }

  reset(): Answer {
    return this.begin(new Command(this, null));
  }

  async cancel(signal: AbortSignal): Promise<void> {
    const other = await this.ways.again(signal);
    signal.addEventListener('abort', () => other.guard.destroy(), { once: true });
    try {
      await other.say(`kill ${this.id}`).read();
    } finally {
      other.guard.destroy();
    }
  }

  private begin<Kind extends Exchange>(exchange: Kind): Kind {
    this.current = exchange;
    if (this.guard.destroyed) exchange.lose(this.guard.errored ?? new Error('the connection has ended'));
    return exchange;
  }

  /** @param packets whole ones */
  private hear(packets: Buffer): void {
    for (let at = 0; at < packets.byteLength && !this.guard.destroyed;) {
      const end = at + 4 + packets.readUIntLE(at, 3);
      // nothing was asked
      if (!this.current || this.current.isOver) throw new RangeError('an answer that nobody waits for');
      this.current.take(new Packet(packets.subarray(at + 4, end)));
      at = end;
    }
  }
}

/** They commit what came before them. */
const COMMITTING: ReadonlySet<string> = new Set([
  ...['alter', 'create', 'drop', 'rename', 'truncate', 'grant', 'revoke', 'lock', 'unlock', 'flush'],
  ...['analyze', 'optimize', 'repair', 'install', 'uninstall'],
]);
/**
 * They change the session, which Weft sets and a reset does not quite restore, run a text that nobody has read, or hold other statements
 * (of MariaDB). One SET has many assignments, so that none is taken, whatever it assigns: SELECT … INTO @a sets variables of users.
 */
const OF_SESSION: ReadonlySet<string> = new Set([
  ...['set', 'use', 'execute'],
  ...['if', 'case', 'loop', 'while', 'repeat', 'for'],
]);

function faultOf({ firstWord }: Statement, { isInTransaction, isReadOnly }: Standing): string | null {
  const word = firstWord.toUpperCase();
  if (OF_SESSION.has(firstWord)) {
    return `${word} could change the session, which Weft sets: name the database before a table, and set variables by SELECT … INTO @a`;
  }
  if (isInTransaction && COMMITTING.has(firstWord)) {
    return `MySQL commits before ${word}, so it is not a part of a transaction: run it alone, without once`;
  }
  if (isReadOnly && firstWord === 'call')
    return 'a procedure can end the transaction that only reads: CALL is not run in it';
  return null;
}
