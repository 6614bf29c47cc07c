/** PostgreSQL: the driver logs in over the guarded socket, and a statement is a portal. */
import pg from 'pg';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { LayerFailure } from '../../layer-module.js';
import type { Answer } from '../answer.js';
import type { Database, Isolation, LogIn, SessionUse, Standing, Statement, Ways } from '../database.js';
import { offersNoTls, type DatabasePlace } from '../database-place.js';
import { maskOf } from '../sql-failure.js';
import { Portal } from './portal.js';
import { PostgresGuard } from './postgres-guard.js';

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const [TAKEN, REFUSED] = ['S', 'N'];
const CANCEL_REQUEST = 80_877_102;
const CANCELS_WITHIN_MS = 2_000;

export const logInToPostgres: LogIn = async (place, ways, signal) => {
  const socket = await connect(place, ways, signal);
  ways.opened(socket);
  const guard = new PostgresGuard(socket, place.host);
  ways.opened(guard);
  const { host, port, user, database, password } = place;
  const client = new pg.Client({
    ...{ host, port, user, database, ssl: false, sslnegotiation: 'postgres' },
    // as a function: the driver takes an empty text for none, and would look for one in its environment
    password: () => password,
    stream: () => guard,
  });
  client.on('error', () => guard.destroy());
  client.on('end', () => guard.destroy());
  await client.connect();
  return new PostgresDatabase(client, guard, place, (until) => connect(place, ways, until));
};

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  private readonly masked: (text: string) => string;

  /** @param connect another socket to the same server, for cancelling */
  constructor(
    private readonly client: pg.Client,
    readonly guard: PostgresGuard,
    private readonly place: DatabasePlace,
    private readonly connect: (signal: AbortSignal) => Promise<Socket>,
  ) {
    this.masked = maskOf(place.password);
  }

  run(statement: Statement, { isInTransaction }: Standing): Answer {
    const again = (): void => void this.client.query(portal);
    const portal: Portal = new Portal(statement, this.guard, this.masked, isInTransaction ? again : null);
    this.client.query(portal);
    return portal;
  }

  say(text: string, values: readonly unknown[] = []): Answer {
    const standing = { isInTransaction: true, isReadOnly: false };
    return this.run({ text, values, where: 'params', firstWord: '' }, standing);
  }

  settle({ timeoutMs, isReadOnly, playId }: SessionUse): Answer {
    const { schema } = this.place;
    const ms = String(Math.ceil(timeoutMs));
    const settings: Record<string, string> = {
      statement_timeout: ms,
      idle_in_transaction_session_timeout: ms,
      default_transaction_read_only: isReadOnly ? 'on' : 'off',
      application_name: `weft:${playId}`,
      ...{ DateStyle: 'ISO, MDY', IntervalStyle: 'postgres', bytea_output: 'hex', extra_float_digits: '3' },
      ...{ standard_conforming_strings: 'on' },
      ...(schema !== null && { search_path: `"${schema.replaceAll('"', '""')}"` }),
    };
    const calls = Object.keys(settings).map(
      (_name, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false) as c${at}`,
    );
    return this.say(`select ${calls.join(', ')}`, Object.entries(settings).flat());
  }

  begins(isolation: Isolation | null, isReadOnly: boolean): readonly string[] {
    const level = isolation === null ? '' : ` isolation level ${isolation}`;
    // once its snapshot is taken, it cannot become one that writes
    return isReadOnly ? [`begin${level} read only`, 'select 1'] : [`begin${level}`];
  }

  reset(): Answer {
    return this.say('discard all');
  }

  async cancel(signal: AbortSignal): Promise<void> {
    const { processID, secretKey } = this.client as unknown as { processID: number; secretKey: number };
    const socket = await this.connect(signal);
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(CANCEL_REQUEST, 4);
    request.writeInt32BE(processID, 8);
    request.writeInt32BE(secretKey, 12);
    socket.resume();
    socket.end(request);
    socket.setTimeout(CANCELS_WITHIN_MS, () => socket.destroy());
  }
}

/** Connected, with TLS where the link asks for it. */
async function connect(place: DatabasePlace, ways: Ways, signal: AbortSignal): Promise<Socket> {
  const raw = await ways.dial(signal);
  if (place.tls === 'off') return raw;
  try {
    await askForTls(raw, place, signal);
    return await ways.encrypt(raw, signal);
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

/** The one byte of the answer is read alone: what follows it without TLS was not said by the server. */
async function askForTls(raw: Socket, place: DatabasePlace, signal: AbortSignal): Promise<void> {
  raw.write(SSL_REQUEST);
  const answer = (await firstPiece(raw, place.host, signal)).toString('latin1');
  if (answer === REFUSED) throw offersNoTls(place);
  if (answer !== TAKEN) {
    throw new LayerFailure('connect_failed', `what ${place.host} sent is not the protocol of PostgreSQL`);
  }
}

async function firstPiece(raw: Socket, host: string, signal: AbortSignal): Promise<Buffer> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  raw.once('close', onClose);
  try {
    const [piece] = (await once(raw, 'data', { signal: AbortSignal.any([signal, gone.signal]) })) as [Buffer];
    raw.pause();
    return piece;
  } catch (error) {
    if (!gone.signal.aborted || signal.aborted) throw error;
    throw new LayerFailure('connect_failed', `${host} closed the connection before TLS`, undefined, { cause: error });
  } finally {
    raw.off('close', onClose);
  }
}
