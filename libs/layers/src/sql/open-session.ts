/** Opens a session over a guarded socket: no driver resolves or connects by itself. */
import { TimeLimit } from '@weft/concurrency';
import type { EgressDialer } from '@weft/egress';
import { LayerFailure } from '../layer-module.js';
import type { Database, LogIn, Ways } from './database.js';
import type { DatabasePlace, Engine } from './database-place.js';
import { CONNECTS_WITHIN_MS, dialPlace, encryptTo } from './dial-place.js';
import { logInToMysql } from './mysql/mysql-database.js';
import { logInToPostgres } from './postgres/postgres-database.js';
import { Session } from './session.js';
import { asSqlFailure, maskOf, whyAborted } from './sql-failure.js';

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
    dial: (until) => dialPlace(place, sockets, until),
    encrypt: (raw, until) => encryptTo(raw, place, sockets.trusted, until),
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
