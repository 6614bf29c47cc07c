// The folder of one test run: the data of its servers, and a record of every process that its tests started.
//   node tools/test-run.mjs <folder>   ends what is left of a run
import { mkdir, mkdtemp, readFile, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, isAlive } from './setup/process-info.mjs';

const PREFIX = 'weft-test-';
/** Memory that is a file system: a write of a database does not wait for a disk there. */
const IN_MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 1024 ** 3;

/** @returns {Promise<string>} */
export async function openRun() {
  const parent = process.env.TMPDIR === undefined && (await isRoomy(IN_MEMORY)) ? IN_MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, PREFIX));
  await writeFile(join(folder, 'pid'), String(process.pid));
  await mkdir(join(folder, 'processes'));
  return folder;
}

/**
 * Ends every process of the run that is still alive (a test that died leaves servers and processes running), then removes the folder.
 * @param {string} folder
 */
export async function abandonRun(folder) {
  for (const name of await readdir(join(folder, 'processes')).catch(() => [])) {
    const pid = Number(name);
    const args = await readFile(join(folder, 'processes', name), 'utf8').catch(() => '');
    if (args !== '' && isAlive(pid) && (await commandLine(pid)).replaceAll('\0', ' ').includes(args))
      process.kill(pid, 'SIGKILL');
  }
  const { stopAbandoned } = await import('./servers/index.mjs');
  await stopAbandoned(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** @param {string} folder */
async function isRoomy(folder) {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
}

/** Runs that were killed before they could clean up. */
export async function sweepAbandonedRuns() {
  const folders = [tmpdir(), IN_MEMORY].map(async (parent) =>
    (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(PREFIX)).map((name) => join(parent, name)),
  );
  for (const folder of (await Promise.all(folders)).flat()) {
    const owner = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => '0'));
    if (owner > 0 && !isAlive(owner)) await abandonRun(folder);
  }
}

const [script, folder] = process.argv.slice(1);
if (script === fileURLToPath(import.meta.url) && folder?.includes(PREFIX)) await abandonRun(folder);
