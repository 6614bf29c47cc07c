// Python programs that look at the API, each in an environment of its own in the download cache.
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../servers/cache-dir.mjs';
import { run } from '../setup/run.mjs';
import { step } from '../setup/say.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

/** Compares the API with its description. */
export const SCHEMATHESIS = { name: 'schemathesis', version: '4.32.0', command: 'st' };
/** Makes a client in Python of the description. */
export const PYTHON_CLIENT = { name: 'openapi-python-client', version: '0.29.1', command: 'openapi-python-client' };
const INSTALL_MS = 600_000;

/**
 * @param {typeof SCHEMATHESIS} tool
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} its command
 */
export async function findPythonTool({ name, version, command }, env) {
  const into = join(cacheDir(env), `${name}-${version}`);
  // an environment cannot be moved to its place when it is complete, so a file in it says that it is
  const complete = join(into, '.complete');
  const isComplete = await access(complete).then(
    () => true,
    () => false,
  );
  if (!isComplete) {
    await step(`fetching ${name}`, () => install(name, version, into));
    await writeFile(complete, '');
  }
  return join(into, 'bin', command);
}

/** @param {string} name @param {string} version @param {string} into */
async function install(name, version, into) {
  await rm(into, { recursive: true, force: true });
  const made = await run('python3', ['-m', 'venv', into], { timeoutMs: INSTALL_MS });
  if (made.code === 127)
    throw new Trouble('python3 was not found.', `Install python3 with venv and pip: ${name} needs them.`);
  if (made.code !== 0) throw troubleFrom(`Making an environment for ${name}`, made.output);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`];
  const installed = await run(join(into, 'bin', 'python'), pip, { timeoutMs: INSTALL_MS });
  if (installed.code !== 0) throw troubleFrom(`Fetching ${name} with pip`, installed.output);
}
