/** Opens a session over a guarded socket: no driver resolves or connects by itself. */
import { TimeLimit } from '@weft/concurrency';
import { isPublicAddress, upgradeTls, type EgressDialer } from '@weft/egress';
import type { Socket } from 'node:net';
import { LayerFailure } from '../layer-module.js';
import type { Database, LogIn, Ways } from './database.js';
import type { DatabasePlace, Engine } from './database-place.js';
import { logInToMysql } from './mysql/mysql-database.js';
import { logInToPostgres } from './postgres/postgres-database.js';
import { Session } from './session.js';
import { asSqlFailure, maskOf, whyAborted } from './sql-failure.js';

const CONNECTS_WITHIN_MS = 10_000;

const LOG_INS: Readonly<Record<Engine, LogIn>> = { postgres: logInToPostgres, mysql: logInToMysql };

/** @throws LayerFailure `connect_failed`, `timeout`, `cancelled`, `destination_blocked`, `integration_unusable`, `sql_failed` */
export async function openSession(place: DatabasePlace, sockets: EgressDialer, outer: AbortSignal): Promise<Session> {
  const over = new AbortController();
  const limit = new TimeLimit(CONNECTS_WITHIN_MS, () => over.abort());
  try {
    return new Session(await logIn(place, sockets, AbortSignal.any([outer, over.signal])), place);
  } catch (error) {
    if (outer.aborted) throw whyAborted(outer, place.host);
    if (over.signal.aborted) {
      throw new LayerFailure('timeout', `${place.host} gave no session within ${CONNECTS_WITHIN_MS} ms`);
    }
    throw asSqlFailure(error, place.host, maskOf(place.password));
  } finally {
    limit.end();
  }
}

async function logIn(place: DatabasePlace, sockets: EgressDialer, signal: AbortSignal): Promise<Database> {
  const open: { destroy(): unknown }[] = [];
  const hangUp = (): void => open.forEach((one) => one.destroy());
  const ways: Ways = {
    dial: (until) => dial(place, sockets, until),
    encrypt: (raw, until) => encrypt(raw, place, sockets.trusted, until),
    again: (until) => logIn(place, sockets, until),
    opened: (one) => {
      if (signal.aborted) one.destroy();
      else open.push(one);
    },
  };
  signal.addEventListener('abort', hangUp);
  try {
    signal.throwIfAborted();
    return await LOG_INS[place.engine](place, ways, signal);
  } catch (error) {
    hangUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', hangUp);
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

async function encrypt(
  raw: Socket,
  { host, tls, ca }: DatabasePlace,
  trusted: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
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
