// Which files the builds read: whether one is due goes by their paths, sizes and times, and `npm run dev` watches their folders.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './root.mjs';

const SETTINGS = ['package-lock.json', 'tsconfig.base.json'];

/** Tools that the services import: they are in dist/bundle (ADR 107). */
const TOOLS_OF_SERVICES = ['tools/setup', 'tools/servers'];

/** The package @weft/client: the client and the command line. */
const CLIENT = ['apps/cli/src', 'libs/client/src', 'libs/shapes/src'];

/** The dashboard and what it imports; the documents are pages of it. */
const DASHBOARD = ['apps/dashboard', 'docs', ...['access', 'contracts', 'kernel'].map((lib) => `libs/${lib}/src`)];

/** Projects with a part of their own. */
const APART = ['cli', 'client', 'dashboard'];

/** Folders in which a change may need a build. */
export const WATCHED = ['apps', 'libs', ...TOOLS_OF_SERVICES];

/** @param {string} file */
export const isSource = (file) => /\.(tsx?|lua|css|html|mjs)$/.test(file);

export function serviceFiles() {
  return filesOf(
    [...SETTINGS, 'nest-cli.json', '.swcrc', 'tools/bundle.mjs'],
    [...serviceFolders(), ...TOOLS_OF_SERVICES],
    /(?<!\.spec)\.ts$|\.lua$|\.mjs$/,
  );
}

export function dashboardFiles() {
  const tools = ['tools/docs/page-html.mjs', 'tools/citations.mjs'];
  return filesOf([...SETTINGS, ...tools], DASHBOARD, /(?<!\.spec)\.tsx?$|\.(css|html|svg|json|md)$/);
}

export function clientFiles() {
  return filesOf([...SETTINGS, 'libs/client/package.json', 'tools/client/build.mjs'], CLIENT, /(?<!\.spec)\.ts$/);
}

function serviceFolders() {
  return ['apps', 'libs'].flatMap((family) =>
    readdirSync(inRoot(family))
      .sort()
      .filter((project) => !APART.includes(project))
      .map((project) => join(family, project, 'src'))
      .filter((source) => existsSync(inRoot(source))),
  );
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} folders
 * @param {RegExp} names of the files in the folders
 * @returns {string[]} those that exist, from the root
 */
function filesOf(files, folders, names) {
  const inFolders = folders.flatMap((folder) =>
    readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
      .sort()
      .filter((file) => names.test(file))
      .map((file) => join(folder, file)),
  );
  return [...files.filter((file) => existsSync(inRoot(file))), ...inFolders];
}

/**
 * A digest of path, size and time of everything that a build reads.
 * @param {readonly string[]} paths
 */
export function digestOf(paths) {
  const digest = createHash('sha256');
  for (const path of paths) {
    const { size, mtimeMs } = statSync(inRoot(path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}
