import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import thisWorker from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { freePort } from '#tools/servers/index.mjs';
import { isAlive } from '#tools/setup/process-info.mjs';
import { nodeFlagsOf, runEnv } from '#tools/setup/root.mjs';
import { testRun } from '../test-run.js';
import { waitFor } from '../wait-for.js';

export type AppName = 'api' | 'worker' | 'realtime' | 'scheduler' | 'standalone';

export interface SpawnOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Default: until a slow machine is ready, too (3 min); 0: do not wait until it is ready. */
  readonly readyWithinMs?: number;
  /** The checkout whose build it is; default: this one. */
  readonly root?: string;
  /** A file for what it writes, so that it may outlive the worker that starts it; default: that worker keeps the last of it. */
  readonly logFile?: string;
}

/** What a worker needs to use a process that another one has started. */
export interface SharedProcess {
  readonly app: AppName;
  readonly pid: number;
  readonly port: number;
  readonly logFile: string;
}

/** How to start a program that serves `/health/ready`. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it listens, on the loopback address. */
  readonly port: number;
}

/** One real process of the product; by `spawnProcess` the built `main.js` on the Node that runs the tests. */
export interface SpawnedProcess<A extends string = AppName> {
  readonly app: A;
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** Everything that it wrote so far, stdout and stderr. */
  readonly output: () => string;
  readonly isRunning: () => boolean;
  /** Resolves with its exit code, or the signal's name; with 0 when another worker started it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves when `/health/ready` answers 200. */
  ready(withinMs?: number): Promise<void>;
  /** SIGKILL by default, and waits until it has ended; SIGSTOP, SIGCONT and SIGTERM are only sent. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** SIGTERM, and waits until it has ended. Does nothing if it has already ended. */
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The product has no symlinks: without this, Node would resolve three thousand paths at every start. */
const NO_LINKS = ['--preserve-symlinks'];
const READY_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 35_000;
const KEEP_CHARACTERS = 500_000;
const LOOK_EVERY_MS = 50;

/** @param env see `processEnv`; what is given here goes over the environment of the tests */
export async function spawnProcess(
  app: AppName,
  env: Readonly<Record<string, string>>,
  { port: wantedPort, readyWithinMs = READY_WITHIN_MS, root = ROOT, logFile }: SpawnOptions = {},
): Promise<SpawnedProcess> {
  const main = join(root, 'dist', 'apps', app, 'src', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is not there: npm run build`);
  const port = wantedPort ?? (await freePort());
  const command = {
    file: process.execPath,
    args: [...nodeFlagsOf(app), ...NO_LINKS, main],
    cwd: root,
    env: { ...runEnv(), ...env, SERVER_PORT: String(port) },
    port,
  };
  return spawnCommand(app, command, readyWithinMs, logFile);
}

/** A process that any worker of this run has started with a `logFile`. */
export function joinProcess({ app, pid, port, logFile }: SharedProcess): SpawnedProcess {
  const isRunning = (): boolean => isAlive(pid);
  const untilEnded = async (): Promise<number> => {
    while (isRunning()) await sleep(LOOK_EVERY_MS);
    return 0;
  };
  return processOf(app, port, {
    pid,
    output: () => readFileSync(logFile, 'utf8'),
    isRunning,
    untilEnded,
    send: (signal) => isRunning() && thisWorker.kill(pid, signal),
  });
}

/**
 * @param app its name in messages
 * @param logFile see `SpawnOptions`
 */
export async function spawnCommand<A extends string>(
  app: A,
  { file, args, cwd, env, port }: Command,
  readyWithinMs = READY_WITHIN_MS,
  logFile?: string,
): Promise<SpawnedProcess<A>> {
  const out = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', out, out] });
  if (out !== 'pipe') closeSync(out);
  const spawned = watch(app, port, child, logFile);
  if (readyWithinMs > 0) {
    await spawned.ready(readyWithinMs).catch(async (error: unknown) => {
      await spawned.kill();
      throw error;
    });
  }
  return spawned;
}

function watch<A extends string>(app: A, port: number, child: ChildProcess, logFile?: string): SpawnedProcess<A> {
  let output = '';
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-KEEP_CHARACTERS);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const { pid } = child;
  if (pid === undefined) throw new Error(`The ${app} process could not be started`);
  // So that the run can end it if this test or its worker dies first, and knows it again.
  const note = join(testRun().folder, 'processes', String(pid));
  writeFileSync(note, child.spawnargs.slice(1).join(' '));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      rmSync(note, { force: true });
      resolve(signal ?? code ?? 1);
    });
  });
  return processOf(app, port, {
    pid,
    output: logFile === undefined ? () => output : () => readFileSync(logFile, 'utf8'),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    untilEnded: () => ended,
    send: (signal) => child.kill(signal),
  });
}

interface Watched {
  readonly pid: number;
  readonly output: () => string;
  readonly isRunning: () => boolean;
  readonly untilEnded: () => Promise<number | NodeJS.Signals>;
  readonly send: (signal: NodeJS.Signals) => unknown;
}

function processOf<A extends string>(
  app: A,
  port: number,
  { pid, output, isRunning, untilEnded, send }: Watched,
): SpawnedProcess<A> {
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => {
    const { statusCode, body } = await request(`${url}/health/ready`, { headersTimeout: 5_000 });
    await body.dump();
    return statusCode === 200;
  };
  return {
    app,
    pid,
    port,
    url,
    output,
    isRunning,
    get ended() {
      return untilEnded();
    },
    ready: async (withinMs = READY_WITHIN_MS) => {
      const ask = async (): Promise<boolean> => !isRunning() || (await isReady());
      const what = `the ${app} process to be ready`;
      await waitFor(ask, { what, withinMs }).catch((error: unknown) => {
        throw new Error(`${what}: it is not. It said:\n${output().slice(-4_000)}`, { cause: error });
      });
      if (!isRunning())
        throw new Error(`The ${app} process ended (${await untilEnded()}) before it was ready:\n${output()}`);
    },
    kill: async (signal = 'SIGKILL') => {
      send(signal);
      if (signal === 'SIGKILL') await untilEnded();
    },
    stop: async () => {
      if (!isRunning()) return;
      send('SIGCONT');
      send('SIGTERM');
      const forced = setTimeout(() => send('SIGKILL'), STOP_WITHIN_MS);
      await untilEnded();
      clearTimeout(forced);
    },
  };
}
