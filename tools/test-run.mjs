// The folder of one test run: the data of its servers, and a record of every process that its tests started.
//   node tools/test-run.mjs <folder>   ends what is left of a run
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, isAlive } from './setup/process-info.mjs';
import { inRoot } from './setup/root.mjs';

const PREFIX = 'weft-test-';

/** @returns {Promise<string>} */
export async function openRun() {
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
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
    if (isAlive(pid) && (await commandLine(pid)).includes(inRoot('dist', 'apps'))) process.kill(pid, 'SIGKILL');
  }
  const { stopAbandoned } = await import('./servers/index.mjs');
  await stopAbandoned(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Runs that were killed before they could clean up. */
export async function sweepAbandonedRuns() {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    const owner = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => '0'));
    if (owner > 0 && !isAlive(owner)) await abandonRun(folder);
  }
}

const [script, folder] = process.argv.slice(1);
if (script === fileURLToPath(import.meta.url) && folder?.includes(PREFIX)) await abandonRun(folder);
