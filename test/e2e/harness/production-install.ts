import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The files of a production installation, in a folder that every user of the machine may read. */
export interface ProductionInstall {
  /** Contains `weft`, the product, and `node`, which stands for the Node of the machine. */
  readonly folder: string;
  /** The files and folders of the product that were written since. */
  written(): readonly string[];
}

/**
 * What `npm ci --omit=dev` and a build leave: the packages of the lock file that are not for development, and `dist`. Hard links
 * where possible, because copies would take seconds. `npm ls` says whether the packages are complete.
 */
export function productionInstall(): ProductionInstall {
  const folder = mkdtempSync(join(tmpdir(), 'weft-production-'));
  afterAll(() => {
    for (const path of [folder, ...foldersIn(folder)]) chmodSync(path, 0o755); // some tests make them unwritable
    rmSync(folder, { recursive: true, force: true });
  });
  const weft = join(folder, 'weft');
  mkdirSync(weft);
  const built = ['dist/apps', 'dist/bundle', 'dist/libs', 'dist/build.json', 'tools/setup', 'tools/servers'];
  copy(['package.json', 'package-lock.json', ...built, ...packages()], weft);
  execFileSync('npm', ['ls', '--all', '--omit=dev'], { cwd: weft, stdio: ['ignore', 'ignore', 'pipe'] });
  copyOne(process.execPath, join(folder, 'node'));
  for (const path of [folder, ...foldersIn(folder)]) chmodSync(path, 0o755);
  const madeAt = Date.now();
  const written = (): readonly string[] =>
    readdirSync(weft, { recursive: true, encoding: 'utf8' }).filter(
      (path) => statSync(join(weft, path)).mtimeMs > madeAt,
    );
  return { folder, written };
}

/** Packages inside of packages are copied with these. Those for other platforms are not installed. */
function packages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { dev?: true }>>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev && path.lastIndexOf('node_modules/') === 0)
    .map(([path]) => path)
    .filter((path) => statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined);
}

function copy(paths: readonly string[], to: string): void {
  try {
    // one process for twenty thousand files
    execFileSync('cp', ['--recursive', '--link', '--parents', ...paths, to], { cwd: ROOT, stdio: 'ignore' });
  } catch {
    for (const path of paths) copyOne(join(ROOT, path), join(to, path)); // another file system, or another cp
  }
}

function copyOne(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to, { recursive: true });
  }
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
