import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { commandLine } from '../setup/process-info.mjs';
import { run } from '../setup/run.mjs';
import { troubleFrom } from '../setup/trouble.mjs';
import { passwordOf, writePrivate } from './secret.mjs';

const FIRST_START_WITHIN_MS = 60_000;

/**
 * MariaDB on the loopback address, with the database `weft` and the user `weft`, who may do everything. For specs: nothing is flushed
 * to the disk.
 * @param {{ env: Readonly<Record<string, string>>, share: string, certificate?: { readonly key: string, readonly cert: string } | undefined }} options `certificate`: it offers TLS
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function mariadbKind({ env, share, certificate }) {
  /** @param {string} folder */
  const common = (folder) => [
    ...['--no-defaults', `--datadir=${dataIn(folder)}`, `--user=${userInfo().username}`, `--lc-messages-dir=${share}`],
    ...[
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=32M',
      '--innodb-use-native-aio=0',
      '--innodb-flush-method=fsync',
      '--skip-log-bin',
    ],
  ];
  return {
    title: 'MariaDB',
    logFile: 'output.log',
    env,
    uri: ({ port, secret }) => `mysql://weft:${password(secret)}@127.0.0.1:${port}/weft`,
    prepare: async ({ folder, secret, binary }) => {
      if (existsSync(dataIn(folder))) return;
      await mkdir(dataIn(folder));
      const first = join(folder, 'first-start.sql');
      await writePrivate(first, await firstStart(share, password(secret)));
      const order = ['-c', 'exec "$0" "$@" < "$FIRST_START"', binary, ...common(folder), '--bootstrap'];
      const made = await run('sh', order, {
        ...{ env: { ...process.env, ...env, FIRST_START: first }, timeoutMs: FIRST_START_WITHIN_MS },
      });
      await rm(first);
      if (made.code !== 0) throw troubleFrom('Making a database of MariaDB', made.output);
      if (!certificate) return;
      await writePrivate(keyIn(folder), certificate.key);
      await writePrivate(certificateIn(folder), certificate.cert);
    },
    args: ({ port, folder }) => [
      ...common(folder),
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(dataIn(folder), 'socket')}`],
      ...[`--pid-file=${join(dataIn(folder), 'pid')}`, '--max-connections=60', '--skip-name-resolve'],
      ...(certificate ? [`--ssl-key=${keyIn(folder)}`, `--ssl-cert=${certificateIn(folder)}`] : []),
    ],
    isOurs: async ({ pid, folder }) => (await commandLine(pid)).includes(folder),
    isReady: async ({ port, secret }) => {
      const connection = await createConnection({
        ...{ host: '127.0.0.1', port, user: 'weft', password: password(secret), disableEval: true },
      });
      try {
        await connection.query('select 1');
        return true;
      } finally {
        connection.destroy();
      }
    },
  };
}

/**
 * What makes the tables of the server and its only user. Each statement of ours has a line of its own.
 * @param {string} share
 * @param {string} word
 */
async function firstStart(share, word) {
  const texts = ['mysql_system_tables.sql', 'mysql_system_tables_data.sql'].map((name) =>
    readFile(join(share, name), 'utf8'),
  );
  return [
    ...['create database mysql;', 'use mysql;', ...(await Promise.all(texts))],
    ...['delete from global_priv;', 'flush privileges;', 'create database weft;'],
    `create user weft@'127.0.0.1' identified by '${word}';`,
    ...["grant all on *.* to weft@'127.0.0.1' with grant option;", ''],
  ].join('\n');
}

/** @param {string} folder */
const dataIn = (folder) => join(folder, 'data');

/** @param {string} folder */
const keyIn = (folder) => join(folder, 'server.key');

/** @param {string} folder */
const certificateIn = (folder) => join(folder, 'server.crt');

/** @param {string} secret */
const password = (secret) => passwordOf(secret, 'mariadb');
