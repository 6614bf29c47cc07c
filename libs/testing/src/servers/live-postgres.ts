import { startPostgres, type LocalServer } from '#tools/servers/index.mjs';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { PEER_EXAMPLE } from '../private-authority.js';
import { scratchFolder } from '../test-run.js';
import { cleanUpWith } from './clean-up.js';

export interface LivePostgres {
  /** Of its superuser, with the password. */
  readonly uri: string;
  readonly port: number;
}

/** Of this worker; it ends with the run. */
let server: Promise<LocalServer> | undefined;

/**
 * The worker's PostgreSQL, which offers TLS with the certificate of `peer.example`, with an empty database for this file or test alone.
 * It starts when the first spec of the worker asks for it. Call it at the top of a spec file or of a `describe`, or in a test.
 */
export async function livePostgres(): Promise<LivePostgres> {
  server ??= startPostgres({ folder: scratchFolder('postgres'), certificate: PEER_EXAMPLE });
  const name = `spec_${randomBytes(6).toString('hex')}`;
  cleanUpWith(() => command(`drop database if exists ${name} with (force)`));
  await command(`create database ${name}`);
  const { uri, port } = await server;
  return { uri: uri.replace(/[^/]+$/, name), port };
}

async function command(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: (await server)?.uri, ssl: false });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
