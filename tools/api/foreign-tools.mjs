// Programs of others that look at the API, each in a folder of its own in the download cache.
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../servers/cache-dir.mjs';
import { inRoot } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { step } from '../setup/say.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

const INSTALL_MS = 600_000;

/**
 * @param {{ name: string, version: string }} tool
 * @returns {Promise<string>} the folder of its commands and of its Python
 */
export async function findPythonTool({ name, version }) {
  const folder = await madeOnce(name, version, async (into) => {
    await install('python3', ['-m', 'venv', into]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`];
    await install(join(into, 'bin', 'python'), pip);
  });
  return join(folder, 'bin');
}

/**
 * @param {string} command the path of its package
 * @param {string} version
 * @returns {Promise<string>} its file
 */
export async function findGoTool(command, version) {
  const name = command.split('/').at(-1) ?? command;
  const folder = await madeOnce(name, version, async (into) => {
    await install('go', ['install', `${command}@${version}`], { GOBIN: into });
  });
  return join(folder, name);
}

/**
 * @param {{ name: string, version: string }} tool
 * @param {readonly string[]} others that it works with, of the release that this checkout has
 * @returns {Promise<string>} its `node_modules`
 */
export async function findNodeTool({ name, version }, others) {
  const folder = await madeOnce(name.replace(/\W/g, '_'), version, async (into) => {
    await mkdir(into, { recursive: true });
    await writeFile(join(into, 'package.json'), '{ "private": true }');
    const { devDependencies } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
    const packages = [`${name}@${version}`, ...others.map((other) => `${other}@${devDependencies[other]}`)];
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    await install(npm, ['install', '--prefix', into, '--no-audit', '--no-fund', '--loglevel=error', ...packages]);
  });
  return join(folder, 'node_modules');
}

/**
 * @param {string} name
 * @param {string} version
 * @param {(into: string) => Promise<void>} make
 * @returns {Promise<string>} the folder
 */
async function madeOnce(name, version, make) {
  const into = join(cacheDir(process.env), `${name}-${version}`);
  // an environment of Python cannot be moved to its place when it is complete, so a file in it says that it is
  const complete = join(into, '.complete');
  const isComplete = await access(complete).then(
    () => true,
    () => false,
  );
  if (!isComplete) {
    await rm(into, { recursive: true, force: true });
    await step(`fetching ${name}`, () => make(into));
    await writeFile(complete, '');
  }
  return into;
}

/** @param {string} command @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env] */
async function install(command, args, env = {}) {
  const { code, output } = await run(command, args, { env: { ...process.env, ...env }, timeoutMs: INSTALL_MS });
  if (code === 127) throw new Trouble(`${command} was not found.`, `Install ${command}: the check needs it.`);
  if (code !== 0) throw troubleFrom([command, ...args].join(' '), output);
}
