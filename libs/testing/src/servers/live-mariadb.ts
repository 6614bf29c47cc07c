import { startMariadb, type LocalServer } from '#tools/servers/index.mjs';
import { createConnection } from 'mysql2/promise';
import { randomBytes } from 'node:crypto';
import { PEER_EXAMPLE } from '../private-authority.js';
import { scratchFolder } from '../test-run.js';
import { cleanUpWith } from './clean-up.js';

export interface LiveMariadb {
  /** Of a user who may do everything, with the password: `mysql://…`. */
  readonly uri: string;
  readonly port: number;
}

/** Of this worker; it ends with the run. */
let server: Promise<LocalServer> | undefined;

/**
 * The worker's MariaDB, which offers TLS with the certificate of `peer.example`, with an empty database for this file or test alone.
 * It starts when the first spec of the worker asks for it. Call it at the top of a spec file or of a `describe`, or in a test.
 */
export async function liveMariadb(): Promise<LiveMariadb> {
  server ??= startMariadb({ folder: scratchFolder('mariadb'), certificate: PEER_EXAMPLE });
  const name = `spec_${randomBytes(6).toString('hex')}`;
  cleanUpWith(() => command(`drop database if exists ${name}`));
  await command(`create database ${name} character set utf8mb4`);
  const { uri, port } = await server;
  return { uri: uri.replace(/[^/]+$/, name), port };
}

async function command(text: string): Promise<void> {
  const connection = await createConnection({ uri: (await server)?.uri ?? '', disableEval: true });
  try {
    await connection.query(text);
  } finally {
    await connection.end();
  }
}
