import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';
import { findOnPath } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { unpackDebian } from './debian.mjs';

/** The server, and the libraries that a machine without it may lack. */
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1', 'libatomic1', 'lua-cjson', 'lua-bitop']; // prettier-ignore
const ELSEWHERE = 'Put a redis-server that was built with TLS on the PATH (Debian: redis-server).';

/**
 * Finds a Redis with TLS, which the Valkey of `findRedis` lacks, or downloads it. Tries in order: PATH, an earlier download, packages
 * of Debian.
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ readonly path: string, readonly env: Readonly<Record<string, string>> }>}
 */
export async function findTlsRedis({ env }) {
  const installed = findOnPath(['redis-server'], env);
  if (installed !== null && (await hasTls(installed, {}))) return { path: installed, env: {} };
  const folder = join(cacheDir(env), 'redis-debian');
  const earlier = await unpacked(folder);
  if (earlier) return earlier;
  await unpackDebian({ packages: PACKAGES, into: folder, title: 'Redis', elsewhere: ELSEWHERE });
  const fetched = await unpacked(folder);
  if (fetched) return fetched;
  throw new Trouble('The fetched Redis does not run on this machine.', ELSEWHERE);
}

/** @param {string} folder */
async function unpacked(folder) {
  const path = join(folder, 'usr', 'bin', 'redis-server');
  if (!existsSync(path)) return null;
  const libraries = (await readdir(join(folder, 'usr', 'lib'))).map((name) => join(folder, 'usr', 'lib', name));
  const env = { LD_LIBRARY_PATH: libraries.join(':') };
  return (await hasTls(path, env)) ? { path, env } : null;
}

/**
 * One with TLS misses its certificate; one without says that it has none, or does not know the option.
 * @param {string} path
 * @param {Readonly<Record<string, string>>} env
 */
async function hasTls(path, env) {
  const args = ['--tls-port', '1', '--port', '0'];
  const { output } = await run(path, args, { timeoutMs: 5_000, env: { ...process.env, ...env } });
  return output.includes('tls-cert-file');
}
