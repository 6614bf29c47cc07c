import { spawn } from 'node:child_process';

/**
 * @typedef {{ code: number, output: string }} Outcome `output`: the last 256 KB of stdout and stderr, interleaved
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, show?: boolean }} RunOptions `show`: also print it
 */

const KEEP = 256 * 1024;

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
 * Hands the terminal over to a program, passes signals on to it, and answers its exit code. 143 and 130 are how a process
 * that closed itself after SIGTERM or SIGINT ends: they are clean, hence 0.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>}
 */
export function become(command, args, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    let signalled = false;
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      // A terminal's Ctrl-C reaches the child by itself; it takes a second signal for the first one.
      signalled = true;
      child.kill(signal);
    };
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, pass);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, pass);
      const clean = signalled && (code === 143 || code === 130 || signal === 'SIGTERM' || signal === 'SIGINT');
      resolve(clean ? 0 : (code ?? 1));
    });
  });
}
