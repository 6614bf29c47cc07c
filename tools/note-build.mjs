// @ts-check
// Runs after each build: writes to dist/build.json what was built, for the version that `/health` shows.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT, inRoot } from './setup/root.mjs';

/** `WEFT_COMMIT` where there is no repository, as in the build of an image. */
export async function noteBuild() {
  const commit = process.env.WEFT_COMMIT?.trim() || (await headCommit());
  await mkdir(inRoot('dist'), { recursive: true });
  await writeFile(inRoot('dist', 'build.json'), `${JSON.stringify(commit ? { commit } : {})}\n`);
}

async function headCommit() {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT });
    return stdout.trim();
  } catch {
    return ''; // no git, or no repository: the version is the package's alone
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await noteBuild();
