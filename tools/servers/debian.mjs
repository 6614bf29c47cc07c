import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

const WITHIN_MS = 300_000;

/**
 * Downloads packages of Debian, from where apt is configured to, and unpacks them without installing them: no rights are needed. The
 * folder gets its name only when it is complete, so that an interrupted download is never used.
 * @param {{ packages: readonly string[], into: string, title: string, elsewhere: string }} wanted `elsewhere`: what to do without apt
 */
export async function unpackDebian({ packages, into, title, elsewhere }) {
  await mkdir(dirname(into), { recursive: true });
  const work = await mkdtemp(`${into}-`);
  try {
    const download = await run('apt-get', ['download', ...packages], { cwd: work, timeoutMs: WITHIN_MS });
    if (download.code === 127) throw new Trouble(`${title} was not found, and neither was apt-get.`, elsewhere);
    if (download.code !== 0) throw troubleFrom(`Fetching ${title} with apt-get`, download.output, elsewhere);
    const content = join(work, 'content');
    for (const name of (await readdir(work)).filter((entry) => entry.endsWith('.deb'))) {
      const unpacked = await run('dpkg-deb', ['--extract', join(work, name), content], { timeoutMs: WITHIN_MS });
      if (unpacked.code !== 0) throw troubleFrom(`Unpacking ${name}`, unpacked.output);
    }
    await rename(content, into).catch((/** @type {NodeJS.ErrnoException} */ error) => {
      // another start was first: its copy is as good
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
