import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { commandLine } from '../setup/process-info.mjs';
import { run } from '../setup/run.mjs';
import { troubleFrom } from '../setup/trouble.mjs';
import { passwordOf, writePrivate } from './secret.mjs';

const INITDB_WITHIN_MS = 60_000;
/** PostgreSQL refuses to run as root: in a user namespace of its own it is nobody, with the same files. */
const AS_NOBODY = userInfo().uid === 0 ? ['unshare', '--user'] : [];

/**
 * PostgreSQL on the loopback address, with the database `weft` of its superuser `weft`. For specs: nothing is flushed to the disk.
 * @param {{ certificate?: { readonly key: string, readonly cert: string } | undefined }} [options] `certificate`: it offers TLS
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function postgresKind({ certificate } = {}) {
  return {
    title: 'PostgreSQL',
    logFile: 'output.log',
    uri: ({ port, secret }) => `postgres://weft:${password(secret)}@127.0.0.1:${port}/weft`,
    through: AS_NOBODY,
    prepare: async ({ folder, secret, binary }) => {
      const data = dataIn(folder);
      if (existsSync(data)) return;
      const word = join(folder, 'initial-password');
      await writePrivate(word, `${password(secret)}\n`);
      const initdb = join(dirname(await realpath(binary)), 'initdb');
      const order = [...AS_NOBODY, initdb, '-D', data, '-U', 'weft', '-A', 'scram-sha-256', '--pwfile', word];
      const [program, ...args] = [...order, '-E', 'UTF8', '--locale', 'C', '--no-sync'];
      const made = await run(String(program), args, { timeoutMs: INITDB_WITHIN_MS });
      if (made.code !== 0) throw troubleFrom('Making a database of PostgreSQL', made.output);
      if (!certificate) return;
      await writePrivate(join(data, 'server.key'), certificate.key);
      await writePrivate(join(data, 'server.crt'), certificate.cert);
    },
    args: ({ port, folder }) => [
      ...['-D', dataIn(folder), '-p', String(port), '-h', '127.0.0.1', '-k', ''],
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=60', '-c', 'shared_buffers=32MB'],
      ...['-c', `ssl=${certificate ? 'on' : 'off'}`],
    ],
    isOurs: async ({ pid, folder }) => (await commandLine(pid)).includes(folder),
    isReady: async ({ port, secret }) => {
      const client = new pg.Client({
        ...{ host: '127.0.0.1', port, user: 'weft', database: 'postgres', password: password(secret), ssl: false },
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query("select 1 from pg_database where datname = 'weft'");
        if (rows.length === 0) await client.query('create database weft');
        return true;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  };
}

/** @param {string} folder */
const dataIn = (folder) => join(folder, 'data');

/** @param {string} secret */
const password = (secret) => passwordOf(secret, 'postgres');
