import { randomInt } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Below those that systems give to outgoing connections, which take a port at any moment. */
const [FIRST, LAST] = [10_000, 32_000];
/** A server that starts listens well before that. */
const RESERVED_MS = 120_000;
const ATTEMPTS = 1_000;

/**
 * A port that is free now on the loopback address. No process of this user gets the same one from here before the caller has
 * had the time to listen on it.
 */
export async function freePort() {
  const folder = join(tmpdir(), `weft-ports-${userInfo().uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, LAST);
    if ((await reserve(join(folder, String(port)))) && (await isFree(port))) return port;
  }
  throw new Error(`No free port was found between ${FIRST} and ${LAST}.`);
}

/**
 * @param {string} note
 * @returns {Promise<boolean>} false: somebody else has reserved it
 */
async function reserve(note) {
  const made = await stat(note).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
  if (made !== null && Date.now() - made > RESERVED_MS) await rm(note, { force: true });
  return writeFile(note, '', { flag: 'wx' }).then(
    () => true,
    (error) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/**
 * @param {number} port
 * @param {string} [host]
 */
export function isFree(port, host = '127.0.0.1') {
  return new Promise((/** @type {(free: boolean) => void} */ resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** @param {number} port */
export function isListening(port) {
  return new Promise((/** @type {(listening: boolean) => void} */ resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
