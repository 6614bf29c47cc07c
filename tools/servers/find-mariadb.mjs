import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';
import { findInFolder, findOnPath } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { unpackDebian } from './debian.mjs';

/** The server, and the libraries that a machine without it may lack. */
const PACKAGES = ['mariadb-server-core', 'liburing2', 'libaio1', 'libnuma1', 'libpcre2-8-0'];
/** Debian keeps the server out of the PATH of users. */
const OF_DEBIAN = '/usr/sbin';
const ELSEWHERE = 'Put a mariadbd on the PATH (Debian: mariadb-server-core).';

/** @typedef {{ readonly path: string, readonly env: Readonly<Record<string, string>>, readonly share: string }} Mariadb `share`: its SQL and messages */

/**
 * Finds MariaDB, the database of the specs of `sql`, or downloads it. Tries in order: PATH, Debian's folder, an earlier download,
 * packages of Debian.
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Mariadb>}
 */
export async function findMariadb({ env }) {
  const installed = findOnPath(['mariadbd'], { ...env, PATH: `${env.PATH ?? ''}:${OF_DEBIAN}` });
  if (installed !== null && (await doesRun(installed, {}))) return placed(installed, {});
  const folder = join(cacheDir(env), 'mariadb-debian');
  const earlier = await unpacked(folder);
  if (earlier) return earlier;
  await unpackDebian({ packages: PACKAGES, into: folder, title: 'MariaDB', elsewhere: ELSEWHERE });
  const fetched = await unpacked(folder);
  if (fetched) return fetched;
  throw new Trouble('The fetched MariaDB does not run on this machine.', ELSEWHERE);
}

/** @param {string} folder */
async function unpacked(folder) {
  const path = await findInFolder(folder, 'mariadbd');
  if (path === null) return null;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const libraries = entries.filter(({ name }) => /^lib.*\.so\./.test(name)).map(({ parentPath }) => parentPath);
  const env = { LD_LIBRARY_PATH: [...new Set(libraries)].join(':') };
  return (await doesRun(path, env)) ? placed(path, env) : null;
}

/**
 * @param {string} path
 * @param {Readonly<Record<string, string>>} env
 * @returns {Mariadb}
 */
function placed(path, env) {
  return { path, env, share: join(dirname(dirname(path)), 'share', 'mysql') };
}

/**
 * @param {string} path
 * @param {Readonly<Record<string, string>>} env
 */
async function doesRun(path, env) {
  return (await run(path, ['--version'], { timeoutMs: 5_000, env: { ...process.env, ...env } })).code === 0;
}
