// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const KILL_AFTER_MS = 10_000;
const READY_WITHIN_MS = 30_000;

/**
 * @typedef {object} Started
 * @property {string} name
 * @property {number} pid
 * @property {import('node:child_process').ChildProcess} child
 * @property {any} ready what the process said when it was ready
 */

/**
 * Starts processes, writes their output to one file each under `logDir`, and ends only the processes that it started.
 *
 * @param {string} logDir
 */
export function createProcesses(logDir) {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const running = new Set();

  /**
   * @param {string} name
   * @param {string} command
   * @param {readonly string[]} args
   * @param {{ env?: Record<string, string>, ipc?: boolean, isReady?: () => Promise<boolean>, withinMs?: number }} options
   *   `ipc`: a Node process that sends `{ ready: true }`; otherwise `isReady` is polled until it returns true, for `withinMs` (30 s)
   * @returns {Promise<Started>}
   */
  async function start(name, command, args, { env = {}, ipc = false, isReady, withinMs = READY_WITHIN_MS }) {
    const logFile = join(logDir, `${name}.log`);
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? [/** @type {const} */ ('ipc')] : [])],
    });
    const log = createWriteStream(logFile, { flags: 'a' });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    running.add(child);
    const ended = new Promise((_resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        running.delete(child);
        log.end();
        reject(new Error(`${name} ended (${signal ?? code}) before it was ready; its output: ${logFile}`));
      });
    });
    ended.catch(() => undefined); // after it was ready, the exit is handled elsewhere
    const ready = await within(withinMs, `${name} is not ready; its output: ${logFile}`, (signal) =>
      Promise.race([ended, ipc ? once(child, 'message', { signal }).then(([said]) => said) : poll(isReady, signal)]),
    );
    return { name, pid: child.pid ?? 0, child, ready };
  }

  /**
   * A Node process of the bench's own, with an IPC channel.
   * @param {string} name @param {URL} file @param {Record<string, string>} [env] @param {readonly string[]} [nodeArgs]
   */
  const fork = (name, file, env = {}, nodeArgs = []) =>
    start(name, process.execPath, [...nodeArgs, file.pathname], { env, ipc: true });

  /** SIGTERM, and SIGKILL when that has no effect. @param {Started | { child: Started['child'] }} started */
  async function stop({ child }) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await exit;
    clearTimeout(timer);
  }

  async function stopAll() {
    await Promise.all([...running].map((child) => stop({ child })));
  }

  return { start, fork, stop, stopAll };
}

/** @typedef {ReturnType<typeof createProcesses>} Processes */

/** @param {Record<string, Started>} started @throws {Error} when one has ended, which nobody asked it to */
export function assertAlive(started) {
  for (const { name, child } of Object.values(started)) {
    const end = child.signalCode ?? child.exitCode;
    if (end !== null) throw new Error(`${name} ended (${end}) in the middle of its leg`);
  }
}

/**
 * Sends one message to a forked process and returns the answer that `isAnswer` recognises.
 * @param {Started} started @param {object} message @param {(answer: any) => boolean} isAnswer @param {number} withinMs
 */
export function ask(started, message, isAnswer, withinMs) {
  const { child, name } = started;
  return within(
    withinMs,
    `${name} does not answer`,
    (signal) =>
      new Promise((resolve, reject) => {
        const onMessage = (/** @type {any} */ answer) => isAnswer(answer) && settle(() => resolve(answer));
        const onExit = () => settle(() => reject(new Error(`${name} ended`)));
        const settle = (/** @type {() => void} */ how) => {
          child.off('message', onMessage).off('exit', onExit);
          how();
        };
        signal.addEventListener('abort', () => settle(() => undefined));
        child.on('message', onMessage).on('exit', onExit);
        child.send(message);
      }),
  );
}

/** @param {(() => Promise<boolean>) | undefined} isReady @param {AbortSignal} signal */
async function poll(isReady, signal) {
  while (!signal.aborted && !(await isReady?.())) await delay(50);
}

/**
 * @template T
 * @param {number} ms @param {string} why @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function within(ms, why, work) {
  const abort = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${why} (waited ${ms / 1_000} s)`)), ms);
  });
  try {
    return /** @type {T} */ (await Promise.race([work(abort.signal), late]));
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}
