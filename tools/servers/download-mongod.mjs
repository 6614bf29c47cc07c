import { spawn } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { findInFolder, majorVersion } from './binary.mjs';

/** How long a download may stall. Short, because there is an alternative where that host is unreachable. */
const SILENCE_MS = 10_000;
const LOOK_EVERY_MS = 500;

const SCRIPT = `
  import { MongoBinary } from 'mongodb-memory-server-core';
  await MongoBinary.getPath({ downloadDir: process.argv[1] });
`;

/**
 * Downloads MongoDB's own build for this machine, in a separate process, because only that way can a stalled download be ended.
 * @param {{ into: string, node: string, log: (line: string) => void }} options
 * @returns {Promise<string | null>} null when it cannot be had here
 */
export async function downloadMongod({ into, node, log }) {
  const work = `${into}-${process.pid}`;
  await mkdir(work, { recursive: true });
  try {
    const ended = await watch(spawnDownload(node, work), work, log);
    const path = ended ? await findDownloaded(work) : null;
    if (path === null || (await majorVersion(path)) === null) return null;
    await mkdir(into, { recursive: true });
    const kept = join(into, 'mongod');
    await rename(path, kept);
    return kept;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} node
 * @param {string} folder
 */
function spawnDownload(node, folder) {
  const env = { ...process.env, MONGOMS_PREFER_GLOBAL_PATH: 'false', MONGOMS_MAX_RETRIES: '0' };
  return spawn(node, ['--input-type=module', '-e', SCRIPT, folder], { cwd: inRoot(), env, stdio: 'ignore' });
}

/**
 * Waits for the download to end, and ends it when it stalls.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} folder
 * @param {(line: string) => void} log
 * @returns {Promise<boolean>} whether it ended well
 */
function watch(child, folder, log) {
  return new Promise((resolve) => {
    let bytes = 0;
    let told = 0;
    let quietSince = Date.now();
    const look = setInterval(async () => {
      const now = await sizeOf(folder);
      if (now > bytes) quietSince = Date.now();
      bytes = now;
      if (bytes - told > 20_000_000) {
        told = bytes;
        log(`fetching MongoDB: ${Math.round(bytes / 1_000_000)} MB`);
      }
      if (Date.now() - quietSince > SILENCE_MS) child.kill('SIGKILL');
    }, LOOK_EVERY_MS);
    const finish = (/** @type {boolean} */ ok) => {
      clearInterval(look);
      resolve(ok);
    };
    child.on('error', () => finish(false));
    child.on('exit', (code) => finish(code === 0));
  });
}

/** @param {string} folder */
async function sizeOf(folder) {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (entry) => entry.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** @param {string} folder */
async function findDownloaded(folder) {
  const plain = await findInFolder(folder, 'mongod');
  if (plain !== null) return plain;
  const named = (await readdir(folder)).find(
    (name) => name.startsWith('mongod-') && !/\.(tgz|zip|lock|downloading)$/.test(name),
  );
  return named === undefined ? null : join(folder, named);
}
