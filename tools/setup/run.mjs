import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * @typedef {{ code: number, output: string }} Outcome `output`: the last of stdout and stderr, interleaved
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, show?: boolean }} RunOptions `show`: also print it
 */

const KEEP = 8 * 1024 * 1024;

/**
 * Runs a program to its end. Never rejects: a program that cannot be started has code 127.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Outcome>}
 */
export function run(command, args, { cwd, env, timeoutMs, show = false } = {}) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    /** @param {Buffer} chunk */
    const take = (chunk) => {
      if (show) process.stdout.write(chunk);
      output = (output + chunk.toString()).slice(-KEEP);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ code: 127, output: error.message });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? (signal === 'SIGKILL' ? 137 : 143), output });
    });
  });
}

/**
 * Runs a program with the terminal of this process, forwards signals to it, and returns its exit code (128 + n after signal n).
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, tethered?: boolean }} [options] `tethered`: a Node program that learns by
 *   `disconnect` that this process is gone, also when it was killed
 * @returns {Promise<number>}
 */
export function become(command, args, { cwd, env, tethered = false } = {}) {
  return new Promise((resolve, reject) => {
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = tethered ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit';
    const child = spawn(command, args, { cwd, env, stdio });
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => child.kill(signal);
    const settle = () => SIGNALS.forEach((signal) => process.off(signal, pass));
    SIGNALS.forEach((signal) => process.on(signal, pass));
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      settle();
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}

/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
