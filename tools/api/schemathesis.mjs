// The program that compares the API with its description, in an environment of its own in the download cache.
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../servers/cache-dir.mjs';
import { run } from '../setup/run.mjs';
import { step } from '../setup/say.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

const VERSION = '4.32.0';
const INSTALL_MS = 600_000;

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} its command
 */
export async function findSchemathesis(env) {
  const into = join(cacheDir(env), `schemathesis-${VERSION}`);
  const command = join(into, 'bin', 'st');
  // an environment cannot be moved to its place when it is complete, so a file in it says that it is
  const complete = join(into, '.complete');
  const isComplete = await access(complete).then(
    () => true,
    () => false,
  );
  if (isComplete) return command;
  await step('fetching schemathesis', () => install(into));
  await writeFile(complete, '');
  return command;
}

/** @param {string} into */
async function install(into) {
  await rm(into, { recursive: true, force: true });
  const made = await run('python3', ['-m', 'venv', into], { timeoutMs: INSTALL_MS });
  if (made.code === 127)
    throw new Trouble('python3 was not found.', 'Install python3 with venv and pip: schemathesis needs them.');
  if (made.code !== 0) throw troubleFrom('Making an environment for schemathesis', made.output);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`];
  const installed = await run(join(into, 'bin', 'python'), pip, { timeoutMs: INSTALL_MS });
  if (installed.code !== 0) throw troubleFrom('Fetching schemathesis with pip', installed.output);
}
