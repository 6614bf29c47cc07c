/** Opens a session over a guarded socket: the driver never resolves or connects by itself. */
import { TimeLimit } from '@weft/concurrency';
import { isPublicAddress, upgradeTls, type EgressDialer } from '@weft/egress';
import pg from 'pg';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { LayerFailure } from '../layer-module.js';
import { withoutSecret } from '../call/without-secret.js';
import type { DatabasePlace } from './database-place.js';
import { Session } from './session.js';
import { asSqlFailure, whyAborted } from './sql-failure.js';
import { WireGuard } from './wire-guard.js';

const CONNECTS_WITHIN_MS = 10_000;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const [TAKEN, REFUSED] = ['S', 'N'];

/** @throws LayerFailure `connect_failed`, `timeout`, `cancelled`, `destination_blocked`, `integration_unusable`, `sql_failed` */
export async function openSession(place: DatabasePlace, sockets: EgressDialer, outer: AbortSignal): Promise<Session> {
  const over = new AbortController();
  const limit = new TimeLimit(CONNECTS_WITHIN_MS, () => over.abort());
  const signal = AbortSignal.any([outer, over.signal]);
  const open: { destroy(): unknown }[] = [];
  const hangUp = (): void => open.forEach((one) => one.destroy());
  signal.addEventListener('abort', hangUp);
  try {
    const socket = await connect(place, sockets, signal);
    open.push(socket);
    signal.throwIfAborted();
    const guard = new WireGuard(socket, place.host);
    open.push(guard);
    return await logIn(place, guard, (cancel) => connect(place, sockets, cancel));
  } catch (error) {
    hangUp();
    if (outer.aborted) throw whyAborted(outer, place.host);
    if (over.signal.aborted) {
      throw new LayerFailure('timeout', `${place.host} gave no session within ${CONNECTS_WITHIN_MS} ms`);
    }
    throw asSqlFailure(error, place.host, (text) => withoutSecret(text, [place.password]));
  } finally {
    limit.end();
    signal.removeEventListener('abort', hangUp);
  }
}

/** Connected, with TLS where the link asks for it. */
async function connect(place: DatabasePlace, sockets: EgressDialer, signal: AbortSignal): Promise<Socket> {
  const raw = await dial(place, sockets, signal);
  if (place.tls === 'off') return raw;
  try {
    return await secured(raw, place, sockets.trusted, signal);
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

async function dial({ host, port, tls }: DatabasePlace, sockets: EgressDialer, signal: AbortSignal): Promise<Socket> {
  const socket = await sockets.dial({ host, port, tls: false, timeoutMs: CONNECTS_WITHIN_MS, signal });
  socket.on('error', () => socket.destroy());
  // other addresses can be reached only where the operator has opened them
  if (tls !== 'off' || !isPublicAddress(socket.remoteAddress ?? '')) return socket;
  socket.destroy();
  const why = `its tls is "off", and ${host} is a public address: off is for addresses that an operator opened with EGRESS_ALLOW`;
  throw new LayerFailure('integration_unusable', `The integration cannot be used: ${why}.`);
}

/** The one byte of the answer is read alone: what follows it without TLS was not said by the server. */
async function secured(
  raw: Socket,
  { host, tls, ca }: DatabasePlace,
  trusted: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  raw.write(SSL_REQUEST);
  const answer = await firstPiece(raw, host, signal);
  const text = answer.toString('latin1');
  if (text === REFUSED) {
    throw new LayerFailure('connect_failed', `${host} offers no TLS, and the tls of its integration is "${tls}"`);
  }
  if (text !== TAKEN) {
    throw new LayerFailure('connect_failed', `what ${host} sent is not the protocol of PostgreSQL`);
  }
  try {
    return await upgradeTls(raw, {
      ...{ host, signal, trusted: ca === null ? trusted : [...(trusted ?? []), ca] },
      check: tls === 'verify' ? 'verify' : ca === null ? 'none' : 'authority',
    });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const why = `the certificate of ${host} is not trusted, or no TLS could be made (${code})`;
    const mend = 'give its authority in the setting ca of the integration';
    throw new LayerFailure('connect_failed', `${why}: ${mend}`, undefined, { cause: error });
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

async function logIn(place: DatabasePlace, guard: WireGuard, again: (signal: AbortSignal) => Promise<Socket>) {
  const { host, port, user, database, password } = place;
  const client = new pg.Client({
    ...{ host, port, user, database, ssl: false, sslnegotiation: 'postgres' },
    // as a function: the driver takes an empty text for none, and would look for one in its environment
    password: () => password,
    stream: () => guard,
  });
  const session = new Session(client, guard, place, again);
  await client.connect();
  return session;
}
