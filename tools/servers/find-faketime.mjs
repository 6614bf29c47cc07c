import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';
import { findInFolder } from './binary.mjs';
import { cacheDir } from './cache-dir.mjs';
import { fetchWheel } from './wheel.mjs';

const WHEEL = { name: 'libfaketime', version: '3.0.1', file: 'libfaketime.so.1', title: 'libfaketime' };
const ELSEWHERE = 'Install libfaketime (on Debian the package faketime); it exists for Linux.';

/**
 * Finds the library that shifts the clock of a process, or downloads it. Tries in order: a system package, an earlier download, a
 * Python wheel.
 * @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} options
 * @returns {Promise<string>} its path
 */
export async function findFaketime({ env, log }) {
  const folder = join(cacheDir(env), `${WHEEL.name}-${WHEEL.version}`);
  for (const path of [...(await ofTheSystem()), await findInFolder(folder, WHEEL.file)]) {
    if (path !== null && (await shifts(path))) return path;
  }
  log('fetching libfaketime (once; it is kept for every later run)');
  const path = await fetchWheel({ ...WHEEL, into: folder });
  if (!(await shifts(path))) throw new Trouble('The fetched libfaketime does not run on this machine.', ELSEWHERE);
  return path;
}

/**
 * The environment of a process whose clock follows a file with one line such as `+20s`, which is re-read every second.
 * @param {{ library: string, file: string }} options
 */
export function faketimeEnv({ library, file }) {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    // the monotonic clock stays as it is, as on a machine whose clock is set
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    // the default corrects waits of an older C library; with the present one, MongoDB's waits end at once and it uses all processors
    FAKETIME_FORCE_MONOTONIC_FIX: '0',
  };
}

/** @returns {Promise<string[]>} */
async function ofTheSystem() {
  const folders = await readdir('/usr/lib').catch(() => /** @type {string[]} */ ([]));
  const found = await Promise.all(
    ['.', ...folders].map((name) => findInFolder(join('/usr/lib', name, 'faketime'), 'libfaketimeMT.so.1')),
  );
  return found.filter((path) => path !== null);
}

/** @param {string} library */
async function shifts(library) {
  const env = { ...process.env, LD_PRELOAD: library, FAKETIME: '@2001-01-01 00:00:00' };
  const { code, output } = await run('date', ['+%Y'], { env, timeoutMs: 5_000 });
  return code === 0 && /200[01]/.test(output);
}
