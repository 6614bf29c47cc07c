// @ts-check
// Base images for a machine that reaches no image registry: Debian by debootstrap, with the Node 24 and the npm of this checkout.
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NODE24 } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { step } from '../setup/say.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

/** @typedef {import('./buildah.mjs').Buildah} Buildah */

const RELEASE = 'bookworm';
export const DEBIAN = 'localhost/weft-base-debian';
/** Node, the libraries that it links and certificates: no shell, no package manager, as in distroless images. */
export const BARE = 'localhost/weft-base-bare';

/**
 * Makes both images, if they are missing.
 * @param {Buildah} buildah
 * @param {string} cache folder
 */
export async function ensureBases(buildah, cache) {
  const debian = await step(`Debian ${RELEASE} by debootstrap`, () => ensureRoot(join(cache, `debian-${RELEASE}`)));
  await ensureImage(buildah, DEBIAN, async (container) => {
    await buildah.do(['add', '--quiet', container, debian, '/']);
    await buildah.do(['copy', '--quiet', container, NODE24, '/usr/local/bin/node']);
    await buildah.do(['copy', '--quiet', container, npmFolder(), '/usr/local/lib/node_modules/npm']);
    const cli = '../lib/node_modules/npm/bin/npm-cli.js';
    await buildah.do(['run', '--isolation', 'chroot', container, '--', 'ln', '-s', cli, '/usr/local/bin/npm']);
  });
  await ensureImage(buildah, BARE, async (container) => {
    await buildah.do(['copy', '--quiet', container, NODE24, '/nodejs/bin/node']);
    for (const file of await librariesOf(debian))
      await buildah.do(['copy', '--quiet', container, join(debian, file), file]);
    const certificates = '/etc/ssl/certs/ca-certificates.crt';
    await buildah.do(['copy', '--quiet', container, join(debian, certificates), certificates]);
  });
}

/**
 * @param {Buildah} buildah
 * @param {string} image
 * @param {(container: string) => Promise<void>} fill
 */
async function ensureImage(buildah, image, fill) {
  if (await buildah.has(image)) return;
  const container = await buildah.do(['from', 'scratch']);
  await buildah.do(['config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container]);
  await fill(container);
  await buildah.do(['commit', '--quiet', '--rm', container, image]);
}

/** @param {string} folder @returns {Promise<string>} */
async function ensureRoot(folder) {
  if (existsSync(folder)) return folder;
  const draft = `${folder}-new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(dirname(draft), { recursive: true });
  const args = ['--variant=minbase', '--include=ca-certificates,libstdc++6', RELEASE, draft, await mirror()];
  const { code, output } = await run('debootstrap', args);
  if (code === 127)
    throw new Trouble('debootstrap was not found.', 'apt-get install --no-install-recommends buildah debootstrap');
  if (code !== 0) throw troubleFrom('debootstrap', output);
  await rename(draft, folder);
  return folder;
}

/** The one that apt is configured for. */
async function mirror() {
  const args = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', `Codename: ${RELEASE}`];
  const { output } = await run('apt-get', args);
  const [first] = output.trim().split('\n');
  if (!first?.startsWith('http')) throw new Trouble(`apt knows no repository of ${RELEASE}.`, 'apt-get update');
  return first;
}

/** The npm that runs on this machine is a program of JavaScript, and runs on any Node. */
function npmFolder() {
  const path = process.env.npm_execpath;
  if (path === undefined) throw new Trouble('This needs npm.', 'npm run image:prove');
  return dirname(dirname(realpathSync(path)));
}

/** Shared libraries that Node links, in the Debian root. @param {string} root */
async function librariesOf(root) {
  const { code, output } = await run('ldd', [NODE24]);
  if (code !== 0) throw troubleFrom('ldd', output);
  const found = [...output.matchAll(/(\/\S+\.so\S*) \(0x/g)].map(([, path = '']) => path);
  // glibc resolves names by libraries that it loads later
  const later = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'].map((name) =>
    join(dirname(found[0] ?? '/lib'), name),
  );
  return [...new Set([...found, ...later])].filter((path) => existsSync(join(root, path)));
}
