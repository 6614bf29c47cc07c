import { accessSync, constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from '../setup/run.mjs';

/** @typedef {{ path: string, origin: string }} Binary `origin` is for people: where it was found */

/**
 * @param {readonly string[]} names in order of preference
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null}
 */
export function findOnPath(names, env) {
  for (const name of names) {
    for (const folder of (env.PATH ?? '').split(delimiter).filter((entry) => entry !== '')) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        continue;
      }
    }
  }
  return null;
}

/**
 * @param {string} folder
 * @param {string} name of the file
 * @returns {Promise<string | null>}
 */
export async function findInFolder(folder, name) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = entries.find((entry) => entry.name === name && entry.isFile());
  return found ? join(found.parentPath, found.name) : null;
}

/**
 * The major version that a binary reports, or null when it does not run here (other processor, missing libraries).
 * @param {string} path
 * @returns {Promise<number | null>}
 */
export async function majorVersion(path) {
  const { code, output } = await run(path, ['--version'], { timeoutMs: 5_000 });
  const match = code === 0 ? /v=?(\d+)\.\d+/.exec(output) : null;
  return match ? Number(match[1]) : null;
}
