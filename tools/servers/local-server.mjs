import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isAlive } from '../setup/process-info.mjs';
import { awaitReady, endedByItself, launch, readRecord, saveRecord, sendSignal, stopPid } from './server-process.mjs';
import { freePort, isFree, isListening } from './ports.mjs';
import { makeSecret, readSecret } from './secret.mjs';

/**
 * @typedef {{ port: number, folder: string, secret: string }} Place where a server is, and what opens it
 *
 * What differs between the servers.
 * @typedef {object} ServerKind
 * @property {string} title
 * @property {string} logFile name of the file in the data folder that the server itself logs to
 * @property {(place: Place & { binary: string }) => Promise<void>} [prepare] writes what the server reads at its start
 * @property {readonly string[]} [through] the program, with arguments, that starts the server in its own place
 * @property {(place: Place) => readonly string[]} args every user of the machine can read them: no secrets
 * @property {(place: Place & { pid: number }) => Promise<boolean>} isOurs whether that process is the server of that folder
 * @property {(place: Place) => Promise<boolean>} isReady whether it serves callers with the secret and nobody else; also initializes it at the first start
 * @property {(place: Place & { binary: string }) => Promise<void>} [move] adapts existing data to a new port
 * @property {(place: Place) => string} uri with user and password
 * @property {Readonly<Record<string, string>>} [env] further environment variables
 *
 * @typedef {object} LocalServer a server on the loopback address that this process looks after
 * @property {string} uri with user and password
 * @property {number} port
 * @property {number} pid
 * @property {string} folder
 * @property {() => Promise<void>} start again after `kill` or `stop`, same port, same data
 * @property {() => Promise<void>} stop cleanly
 * @property {() => Promise<Error | null>} fault why it has ended although nobody stopped it; null while it runs
 * @property {(signal?: NodeJS.Signals) => Promise<void>} kill SIGKILL and wait until it is gone; SIGSTOP and SIGCONT return at once
 */

const READY_WITHIN_MS = 30_000;
const ADOPT_WITHIN_MS = 5_000;
const TRIES = 3;

/**
 * Starts a server over a data folder, or takes over the one that an earlier process left running over it.
 * @param {ServerKind} kind
 * @param {{ folder: string, findBinary: () => Promise<string>, port?: number }} options
 * @returns {Promise<LocalServer>}
 */
export async function openLocalServer(kind, { folder: wantedFolder, findBinary, port: wantedPort }) {
  const folder = resolve(wantedFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const known = await readRecord(folder);
  let port = wantedPort ?? known?.port ?? (await freePort());
  let secret = await readSecret(folder);
  let pid = 0;

  const ready = (/** @type {number} */ withinMs) =>
    awaitReady({
      title: kind.title,
      logFile: kind.logFile,
      // A driver waits long for a port on which nobody listens yet: check the port first.
      ask: async () => (await isListening(port)) && kind.isReady({ port, folder, secret }),
      withinMs,
      folder,
      pid,
    });
  const boot = async (/** @type {string} */ binary) => {
    await kind.prepare?.({ port, folder, secret, binary });
    const args = kind.args({ port, folder, secret });
    pid = await launch({ folder, binary, args, port, env: kind.env, through: kind.through });
    await ready(READY_WITHIN_MS);
  };

  if (known !== null && known.pid > 0 && isAlive(known.pid) && (await kind.isOurs({ ...known, folder, secret }))) {
    pid = known.pid;
    const well =
      port === known.port &&
      (await ready(ADOPT_WITHIN_MS).then(
        () => true,
        () => false,
      ));
    if (!well) {
      await stopPid(pid);
      pid = 0;
    }
  }
  // Another version may not open the data: the binary that worked here before is used again while it exists.
  const binary = known !== null && existsSync(known.binary) ? known.binary : await findBinary();
  if (pid === 0) secret = await makeSecret(folder);
  for (let attempt = 1; pid === 0; attempt++) {
    if (wantedPort === undefined && !(await isFree(port))) port = await freePort();
    try {
      if (known !== null && known.port !== port) await kind.move?.({ port, folder, secret, binary });
      await boot(binary);
    } catch (error) {
      if (pid !== 0) await stopPid(pid, { signal: 'SIGKILL' });
      pid = 0;
      // Another process may take the port between our check and the server's start: only that is worth another try.
      if (attempt === TRIES || wantedPort !== undefined || (await isFree(port))) throw error;
    }
  }

  return {
    folder,
    port,
    uri: kind.uri({ port, folder, secret }),
    get pid() {
      return pid;
    },
    async start() {
      if (!isAlive(pid)) await boot(binary);
    },
    async stop() {
      // A frozen process reacts to no other signal.
      sendSignal(pid, 'SIGCONT');
      await stopPid(pid);
      await saveRecord(folder, { pid: 0, port, binary });
    },
    async fault() {
      return isAlive(pid) ? null : endedByItself({ ...kind, folder });
    },
    async kill(signal = 'SIGKILL') {
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') sendSignal(pid, signal);
      else await stopPid(pid, { signal });
    },
  };
}
