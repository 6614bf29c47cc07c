import { readFile } from 'node:fs/promises';
import { run } from './run.mjs';

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * The command line of a process; empty when it cannot be read, so that the process is not taken for one of ours.
 * @param {number} pid
 */
export async function commandLine(pid) {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // No /proc: macOS.
    const { code, output } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
    return code === 0 ? output : '';
  }
}
