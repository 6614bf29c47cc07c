import { spawn } from 'node:child_process';
import { mkdir, open, readFile, writeFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../setup/process-info.mjs';
import { Trouble, troubleFrom } from '../setup/trouble.mjs';

/** A database does not start with less. */
const LEAST_SPACE_BYTES = 1024 * 1024;

/**
 * @typedef {{ pid: number, port: number, binary: string }} ServerRecord what a data folder remembers of its server; `pid` 0: stopped
 * @typedef {{ signal?: NodeJS.Signals, withinMs?: number }} StopOptions
 */

const LOOK_EVERY_MS = 20;

/**
 * @param {string} folder
 * @returns {Promise<ServerRecord | null>}
 */
export async function readRecord(folder) {
  try {
    return JSON.parse(await readFile(join(folder, 'server.json'), 'utf8'));
  } catch {
    // Never started, or killed while writing: nothing is known.
    return null;
  }
}

/**
 * @param {string} folder
 * @param {ServerRecord} record
 */
export async function saveRecord(folder, record) {
  await writeFile(join(folder, 'server.json'), `${JSON.stringify(record)}\n`);
}

/**
 * Starts a server in a session of its own, so that Ctrl-C in a terminal does not end it before the processes that use it.
 * @param {{ folder: string, binary: string, args: readonly string[], port: number, env?: Readonly<Record<string, string>>, through?: readonly string[] | undefined }} options
 * `through`: the program, with arguments, that becomes the server
 * @returns {Promise<number>} its process id
 */
export async function launch({ folder, binary, args, port, env, through = [] }) {
  await mkdir(folder, { recursive: true });
  const output = await open(join(folder, 'output.log'), 'a');
  try {
    const [program, ...all] = [...through, binary, ...args];
    const child = spawn(String(program), all, {
      cwd: folder,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
    const pid = await new Promise((resolve, reject) => {
      child.once('spawn', () => resolve(child.pid));
      child.once('error', reject);
    });
    child.unref();
    await saveRecord(folder, { pid, port, binary });
    return pid;
  } finally {
    await output.close();
  }
}

/**
 * Polls until the check succeeds.
 * @param {{ title: string, folder: string, logFile: string, pid: number, withinMs: number, ask: () => Promise<boolean> }} options
 * @throws {Trouble} when the process ends first or the time is up
 */
export async function awaitReady({ title, folder, logFile, pid, withinMs, ask }) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    if (await ask().catch(() => false)) return;
    if (!isAlive(pid))
      throw troubleFrom(`Starting ${title}`, await tail(folder, logFile), `Its log: ${join(folder, logFile)}`);
    if (Date.now() > deadline) {
      throw new Trouble(`${title} did not get ready within ${withinMs / 1000} s.`, `Its log: ${join(folder, logFile)}`);
    }
    await pause();
  }
}

/**
 * Why a server has ended that nobody stopped.
 * @param {{ title: string, folder: string, logFile: string }} server
 * @returns {Promise<Trouble>}
 */
export async function endedByItself({ title, folder, logFile }) {
  const said = await readFile(join(folder, logFile), 'utf8').catch(() => '');
  // MongoDB writes a stack trace after the reason; its lines of severity "error" and "fatal" have the reason.
  const reasons = said.split('\n').filter((line) => /"s":"[EF]"/.test(line));
  return troubleFrom(`Running ${title}`, (reasons.length > 0 ? reasons : [said.slice(-3_000)]).slice(0, 3).join('\n'));
}

/**
 * @param {string} folder
 * @param {string} logFile
 */
async function tail(folder, logFile) {
  const parts = await Promise.all(
    [logFile, 'output.log'].map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
  );
  // A server without disk space cannot write that to its log.
  const { bavail, bsize } = await statfs(folder);
  const why = bavail * bsize < LEAST_SPACE_BYTES ? ['No space left on device'] : [];
  return [...parts.map((text) => text.slice(-3_000)), ...why].join('\n');
}

/**
 * Ends a server by its process id and waits until it is gone: first SIGTERM, then SIGKILL.
 * @param {number} pid
 * @param {StopOptions} [options]
 */
export async function stopPid(pid, { signal = 'SIGTERM', withinMs = 15_000 } = {}) {
  if (!sendSignal(pid, signal)) return;
  const deadline = Date.now() + withinMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) sendSignal(pid, 'SIGKILL');
    await pause();
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 * @returns {boolean} whether there was somebody to hear it
 */
export function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
