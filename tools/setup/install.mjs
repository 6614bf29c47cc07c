// Installs the packages of package-lock.json when they are missing. Imports no package, because none may be installed yet.
import { existsSync, readFileSync } from 'node:fs';
import { run } from './run.mjs';
import { NODE24, ROOT, inRoot } from './root.mjs';
import { step } from './say.mjs';
import { Trouble, troubleFrom } from './trouble.mjs';

const OLDEST_NODE = 20;

/** Refuses a Node that is too old for the tools. The product itself runs on the Node 24 that is installed. */
export function checkNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    throw new Trouble(
      `Weft needs Node ${OLDEST_NODE} or later to start, this is ${process.version}.`,
      'Install a current Node with its npm, then start again.',
    );
  }
}

/** Whether node_modules matches the lock file. Compares versions, so it does not matter how the packages were installed. */
export function isInstalled() {
  if (!existsSync(NODE24)) return false;
  try {
    const wanted = readPackages(inRoot('package-lock.json'));
    const present = readPackages(inRoot('node_modules', '.package-lock.json'));
    return Object.entries(wanted).every(
      ([path, { version, optional }]) => path === '' || optional === true || present[path]?.version === version,
    );
  } catch {
    // Unreadable or incomplete: a fresh install repairs both.
    return false;
  }
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function readPackages(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

export async function install() {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const outcome = await step('installing packages (about a minute the first time)', () =>
    run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: ROOT, env: installEnv() }),
  );
  if (outcome.code === 127)
    throw new Trouble('npm was not found.', 'Install npm (it comes with Node), then start again.');
  if (outcome.code !== 0) throw troubleFrom('Installing the packages (npm ci)', outcome.output);
  if (!isInstalled()) {
    throw new Trouble(
      'npm ci ended well, but the packages are not complete.',
      'Install scripts may be switched off (npm config get ignore-scripts): the package "node" needs its own.',
    );
  }
}

/**
 * The environment without the settings of the npm that runs this script, which would affect the npm that we run (`omit`, `dry-run`).
 * `engines` names the Node of the product, which is among the packages: an older one may install it.
 */
function installEnv() {
  const config = { npm_config_omit: '', npm_config_dry_run: 'false', npm_config_engine_strict: 'false' };
  return { ...process.env, NODE_ENV: 'development', ...config };
}
