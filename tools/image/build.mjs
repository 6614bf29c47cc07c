// @ts-check
// Builds the image of the Dockerfile with buildah.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { DEBIAN } from './base.mjs';

/** @typedef {import('./buildah.mjs').Buildah} Buildah */

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * @param {Buildah} buildah
 * @param {{ image: string, base: string, cache: string }} options `cache`: folder for what npm downloads
 */
export async function buildImage(buildah, { image, base, cache }) {
  const { code, output } = await run('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT });
  const commit = code === 0 ? output.trim() : '';
  const args = ['BUILD', 'BASE', 'WEFT_COMMIT'].flatMap((name, i) => [
    '--build-arg',
    `${name}=${[DEBIAN, base, commit][i]}`,
  ]);
  await buildah.do(
    ['bud', '--isolation', 'chroot', '--pull-never', '--layers', ...args, ...(await mounts(cache)), '-t', image, ROOT],
    { show: true },
  );
}

/**
 * The npm in the build uses the registry, the certificates and the downloads of this machine; nothing of them gets into the image.
 * @param {string} cache
 */
async function mounts(cache) {
  const downloads = join(cache, 'npm');
  await mkdir(downloads, { recursive: true });
  const settings = join(cache, 'npmrc');
  const own = join(homedir(), '.npmrc');
  const lines = [existsSync(own) ? readFileSync(own, 'utf8').trim() : '', 'cache=/var/cache/npm'];
  if (existsSync(CERTIFICATES)) lines.push(`cafile=${CERTIFICATES}`);
  await writeFile(settings, `${lines.join('\n')}\n`, { mode: 0o600 });
  const volumes = [`${settings}:/root/.npmrc:ro`, `${downloads}:/var/cache/npm`];
  if (existsSync(CERTIFICATES)) volumes.push(`${CERTIFICATES}:${CERTIFICATES}:ro`);
  return volumes.flatMap((volume) => ['--volume', volume]);
}
