// Builds dist/ when a source is newer than the last build: the services in about a second, the dashboard in a few. `npm run check`
// checks types; this does not.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { buildDashboard } from '../build-dashboard.mjs';
import { noteBuild } from '../note-build.mjs';
import { NODE24, ROOT, inRoot } from './root.mjs';
import { run } from './run.mjs';
import { step } from './say.mjs';
import { clientFiles, dashboardFiles, digestOf, serviceFiles } from './sources.mjs';
import { troubleFrom } from './trouble.mjs';

/**
 * Services, dashboard and client are built apart: a change of one does not build the others.
 * @type {readonly { says: string, stamp: string, digest: () => string, make: () => Promise<import('./run.mjs').Outcome> }[]}
 */
const PARTS = [
  {
    says: 'building',
    stamp: inRoot('dist', '.built-from'),
    digest: () => digestOf(serviceFiles()),
    make: buildServices,
  },
  {
    says: 'building the dashboard',
    stamp: inRoot('dist', '.dashboard-built-from'),
    digest: () => digestOf(dashboardFiles()),
    make: buildDashboard,
  },
  {
    says: 'building the client',
    stamp: inRoot('dist', '.client-built-from'),
    digest: () => digestOf(clientFiles()),
    make: () => run(NODE24, [inRoot('tools', 'client', 'build.mjs')], { cwd: ROOT }),
  },
];

async function buildServices() {
  const nest = inRoot('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const built = await run(NODE24, [nest, 'build', '--all'], { cwd: ROOT });
  return built.code === 0 ? run(NODE24, [inRoot('tools', 'bundle.mjs')], { cwd: ROOT }) : built;
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
