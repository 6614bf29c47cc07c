import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './process-info.mjs';

const LOOK_EVERY_MS = 200;

/**
 * Runs `work` under a lock of this folder that excludes other processes of this machine: two starts at once in one checkout
 * must not both install. The lock of a process that has ended is taken over.
 * @template T
 * @param {string} folder
 * @param {(line: string) => void} log told once when there is somebody to wait for
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(folder, log, work) {
  const holder = join(folder, 'pid');
  let told = false;
  for (;;) {
    try {
      await mkdir(folder);
      await writeFile(holder, String(process.pid));
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const pid = Number(await readFile(holder, 'utf8').catch(() => ''));
    if (pid > 0 && !isAlive(pid)) await rm(folder, { recursive: true, force: true });
    else {
      if (!told) log(`another start (process ${pid}) is setting this folder up, waiting for it`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
  try {
    return await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
