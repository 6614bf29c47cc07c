import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { freePort } from '#tools/servers/index.mjs';
import { NODE_FLAGS, runEnv } from '#tools/setup/root.mjs';
import { testRun } from '../test-run.js';
import { waitFor } from '../wait-for.js';

export type AppName = 'api' | 'worker' | 'realtime' | 'scheduler' | 'standalone';

export interface SpawnOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Default 60 s; 0: do not wait until it is ready. */
  readonly readyWithinMs?: number;
  /** The checkout whose build it is; default: this one. */
  readonly root?: string;
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
  /** Resolves with its exit code, or the signal's name. */
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
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 35_000;
const KEEP_CHARACTERS = 500_000;

/** @param env see `processEnv`; what is given here goes over the environment of the tests */
export async function spawnProcess(
  app: AppName,
  env: Readonly<Record<string, string>>,
  { port: wantedPort, readyWithinMs = READY_WITHIN_MS, root = ROOT }: SpawnOptions = {},
): Promise<SpawnedProcess> {
  const main = join(root, 'dist', 'apps', app, 'src', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is not there: npm run build`);
  const port = wantedPort ?? (await freePort());
  const command = {
    file: process.execPath,
    args: [...NODE_FLAGS, ...NO_LINKS, main],
    cwd: root,
    env: { ...runEnv(), ...env, SERVER_PORT: String(port) },
    port,
  };
  return spawnCommand(app, command, readyWithinMs);
}

/** @param app its name in messages */
export async function spawnCommand<A extends string>(
  app: A,
  { file, args, cwd, env, port }: Command,
  readyWithinMs = READY_WITHIN_MS,
): Promise<SpawnedProcess<A>> {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const spawned = watch(app, port, child);
  if (readyWithinMs > 0) {
    await spawned.ready(readyWithinMs).catch(async (error: unknown) => {
      await spawned.kill();
      throw error;
    });
  }
  return spawned;
}

function watch<A extends string>(app: A, port: number, child: ChildProcess): SpawnedProcess<A> {
  let output = '';
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-KEEP_CHARACTERS);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const { pid } = child;
  if (pid === undefined) throw new Error(`The ${app} process could not be started`);
  // So that the run can end it if this test dies first.
  const note = join(testRun().folder, 'processes', String(pid));
  writeFileSync(note, app);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      rmSync(note, { force: true });
      resolve(signal ?? code ?? 1);
    });
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
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
    output: () => output,
    isRunning,
    ended,
    ready: async (withinMs = READY_WITHIN_MS) => {
      const ask = async (): Promise<boolean> => !isRunning() || (await isReady());
      const what = `the ${app} process to be ready`;
      await waitFor(ask, { what, withinMs }).catch((error: unknown) => {
        throw new Error(`${what}: it is not. It said:\n${output.slice(-4_000)}`, { cause: error });
      });
      if (!isRunning()) throw new Error(`The ${app} process ended (${await ended}) before it was ready:\n${output}`);
    },
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal);
      if (signal === 'SIGKILL') await ended;
    },
    stop: async () => {
      if (!isRunning()) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const forced = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(forced);
    },
  };
}
