// Finds the programs among what the build of the services wrote.
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

const PROGRAM = /(^|[.-])main\.js$/;

/**
 * A program whose source was removed or renamed is removed: it imports its bundle, which the next one does not have.
 * @param {string} root
 * @returns {Promise<string[]>} the files that start a process
 */
export async function programsIn(root) {
  const apps = join(root, 'dist', 'apps');
  const built = (await readdir(apps, { recursive: true })).filter(
    (file) => PROGRAM.test(basename(file)) && /^[a-z]+\/src\//.test(file),
  );
  const isCurrent = (/** @type {string} */ file) => existsSync(join(root, 'apps', file.replace(/\.js$/, '.ts')));
  for (const old of built.filter((file) => !isCurrent(file))) {
    await rm(join(apps, old));
    await rm(join(apps, `${old}.map`), { force: true });
  }
  return built.filter(isCurrent).map((file) => join(apps, file));
}
