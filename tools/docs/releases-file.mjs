// @ts-check
// What `npm run doctor -- --upgrade-from` knows of each minor release: of this build by the build itself, of those before it as they
// were when they were released.
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { inRoot, ROOT } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';

const FOLDER = 'apps/standalone/src/doctor/upgrade';
const FILE = inRoot(FOLDER, 'releases.ts');
const HEAD = `import type { Release } from './release.js';

/** Every minor release, oldest first; the last one is this build. Written by \`npm run docs\`. */
export const RELEASES: readonly Release[] =`;

/** @throws Trouble when the facts of a release would change that is out */
export async function writeReleases() {
  const { thisRelease } = await import(pathToFileURL(inRoot('dist', FOLDER, 'release.js')).href);
  const now = thisRelease();
  /** @type {{ RELEASES: readonly { minor: string }[] }} */
  const { RELEASES } = await import(pathToFileURL(FILE).href);
  const earlier = RELEASES.filter(({ minor }) => minor !== now.minor);
  const text = await format(`${HEAD} ${JSON.stringify([...earlier, now])};`, {
    ...(await resolveConfig(FILE)),
    parser: 'typescript',
  });
  if (text === (await readFile(FILE, 'utf8'))) return;
  const tag = `v${now.minor}.0`;
  const { code, output } = await run('git', ['tag', '--list', tag], { cwd: ROOT });
  if (code === 0 && output.trim() !== '') {
    throw new Trouble(
      `${tag} is released, and its settings, migrations, plays or retention defaults are others now.`,
      'Begin the next minor version first: npm version minor --no-git-tag-version.',
    );
  }
  await writeFile(FILE, text);
}
