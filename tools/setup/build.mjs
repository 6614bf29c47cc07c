// Builds dist/ when a source is newer than the last build: the services in about a second, the dashboard in a few. `npm run check`
// checks types; this does not.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDashboard } from '../build-dashboard.mjs';
import { noteBuild } from '../note-build.mjs';
import { NODE24, ROOT, inRoot } from './root.mjs';
import { run } from './run.mjs';
import { step } from './say.mjs';
import { troubleFrom } from './trouble.mjs';

const SETTINGS = ['package-lock.json', 'tsconfig.base.json'];

/**
 * Services, dashboard and client are built apart: a change of one does not build the others.
 * @type {readonly { says: string, stamp: string, digest: () => string, make: () => Promise<import('./run.mjs').Outcome> }[]}
 */
const PARTS = [
  {
    says: 'building',
    stamp: inRoot('dist', '.built-from'),
    digest: () =>
      digestOf(
        [...SETTINGS, 'nest-cli.json', '.swcrc', 'tools/bundle.mjs'],
        serviceSources(),
        /(?<!\.spec)\.ts$|\.lua$/,
      ),
    make: buildServices,
  },
  {
    says: 'building the dashboard',
    stamp: inRoot('dist', '.dashboard-built-from'),
    digest: () => digestOf(SETTINGS, DASHBOARD, /(?<!\.spec)\.tsx?$|\.(css|html|svg|json)$/),
    make: buildDashboard,
  },
  {
    says: 'building the client',
    stamp: inRoot('dist', '.client-built-from'),
    digest: () =>
      digestOf([...SETTINGS, 'libs/client/package.json', 'tools/client/build.mjs'], CLIENT, /(?<!\.spec)\.ts$/),
    make: () => run(NODE24, [inRoot('tools', 'client', 'build.mjs')], { cwd: ROOT }),
  },
];

async function buildServices() {
  const nest = inRoot('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const built = await run(NODE24, [nest, 'build', '--all'], { cwd: ROOT });
  return built.code === 0 ? run(NODE24, [inRoot('tools', 'bundle.mjs')], { cwd: ROOT }) : built;
}

/** The package @weft/client: the client and the command line. */
const CLIENT = ['apps/cli/src', 'libs/client/src'];

/** The dashboard and what it imports. */
const DASHBOARD = ['apps/dashboard', ...['access', 'contracts', 'kernel'].map((lib) => `libs/${lib}/src`)];

/** Projects with a part of their own. */
const APART = ['cli', 'client', 'dashboard'];

function serviceSources() {
  return ['apps', 'libs'].flatMap((family) =>
    readdirSync(inRoot(family))
      .sort()
      .filter((project) => !APART.includes(project))
      .map((project) => join(family, project, 'src'))
      .filter((source) => existsSync(inRoot(source))),
  );
}

/**
 * A digest of path, size and time of everything that a build reads.
 * @param {readonly string[]} files
 * @param {readonly string[]} folders
 * @param {RegExp} names of the files in the folders
 */
function digestOf(files, folders, names) {
  const digest = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const { size, mtimeMs } = statSync(inRoot(path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  };
  for (const file of files) if (existsSync(inRoot(file))) add(file);
  for (const folder of folders) {
    for (const file of readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (names.test(file)) add(join(folder, file));
    }
  }
  return digest.digest('hex');
}

/** @param {typeof PARTS[number]} part */
const isCurrent = ({ stamp, digest }) => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();

export function isBuilt() {
  return PARTS.every(isCurrent);
}

export async function build() {
  for (const part of PARTS) {
    if (isCurrent(part)) continue;
    const digest = part.digest();
    const outcome = await step(part.says, part.make);
    if (outcome.code !== 0) throw troubleFrom('The build', outcome.output, 'npm run check shows errors of types, too.');
    await noteBuild();
    writeFileSync(part.stamp, digest);
  }
}
