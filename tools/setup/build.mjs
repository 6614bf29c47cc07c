// Builds dist/ when a source is newer than the last build, in about a second. `npm run check` checks types; this does not.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteBuild } from '../note-build.mjs';
import { NODE24, ROOT, inRoot } from './root.mjs';
import { run } from './run.mjs';
import { step } from './say.mjs';
import { troubleFrom } from './trouble.mjs';

const STAMP = inRoot('dist', '.built-from');
const SETTINGS = ['package-lock.json', 'nest-cli.json', '.swcrc', 'tsconfig.base.json'];

/** A digest of path, size and time of everything that the build reads. */
function sourcesDigest() {
  const digest = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const { size, mtimeMs } = statSync(inRoot(path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  };
  for (const file of SETTINGS) if (existsSync(inRoot(file))) add(file);
  for (const family of ['apps', 'libs']) {
    for (const project of readdirSync(inRoot(family)).sort()) {
      const source = join(family, project, 'src');
      if (!existsSync(inRoot(source))) continue;
      for (const file of readdirSync(inRoot(source), { recursive: true, encoding: 'utf8' }).sort()) {
        if (/(?<!\.spec)\.ts$|\.lua$/.test(file)) add(join(source, file));
      }
    }
  }
  return digest.digest('hex');
}

export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sourcesDigest();
}

export async function build() {
  const digest = sourcesDigest();
  const nest = inRoot('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const outcome = await step('building', () => run(NODE24, [nest, 'build', '--all'], { cwd: ROOT }));
  if (outcome.code !== 0) throw troubleFrom('The build', outcome.output, 'npm run check shows errors of types, too.');
  await noteBuild();
  writeFileSync(STAMP, digest);
}
