import type { Drainable } from '@weft/kernel';
import type { HealthCheck } from '@weft/observability';
import type { Environment, Settings } from '@weft/config';
import { setTimeout as pause } from 'node:timers/promises';
import { say } from '#tools/setup/say.mjs';
import { Trouble } from '#tools/setup/trouble.mjs';
import { ChildApplication, type ChildApp } from './child-process.js';

/** The databases stop after the processes, and everything ends within 30 s. */
const STOP_WITHIN_MS = 26_000;
const READY_WITHIN_MS = 45_000;
const LOOK_EVERY_MS = 30;

/** Starts the worker and the scheduler as child processes, with the same servers and secrets. */
export function openChildren(
  { secrets, server, dataDir }: Settings,
  shared: Environment,
  ports: Readonly<Record<ChildApp, number>>,
): ChildProcesses {
  const env = {
    ...shared,
    ENC_KEY_SECRET: secrets.encKeySecret,
    ENC_KEY_SECRET_PREVIOUS: secrets.encKeySecretPrevious.join(','),
    ENV_KEY_SALT: secrets.envKeySalt,
    API_URL: server.apiUrl,
  };
  const apps = ['worker', 'scheduler'] as const;
  const children = apps.map(
    (app) => new ChildApplication({ app, port: ports[app], env, metricsToken: server.metricsToken, tell: say }),
  );
  for (const child of children) child.start();
  return new ChildProcesses(children, `${dataDir}/logs`);
}

/** The child processes as one part of this process: their health, and their place in the shutdown. */
export class ChildProcesses implements Drainable {
  /** Before the sockets, which still show the workers' last writes. */
  readonly drainOrder = 0;

  constructor(
    private readonly children: readonly ChildApplication[],
    private readonly logFolder: string,
  ) {}

  drain(withinMs: number): Promise<void> {
    return this.stop(withinMs);
  }

  async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    await Promise.all(this.children.map((child) => child.stop(withinMs)));
  }

  /** One check each: a missing worker shows as a queue that is not served. */
  get checks(): readonly HealthCheck[] {
    return this.children.map((child) => ({
      name: child.app,
      check: async () =>
        (await child.isReady()) || child.isStopping
          ? { status: 'healthy' as const }
          : { status: 'unhealthy' as const, error: `the ${child.app} does not answer` },
    }));
  }

  /** The pages of the processes that answer. */
  async metricsPages(): Promise<readonly string[]> {
    const pages = await Promise.all(this.children.map((child) => child.metricsPage()));
    return pages.filter((page) => page !== null);
  }

  /** @throws Trouble when one does not get ready */
  async ready(isCalledOff: () => boolean): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    for (const child of this.children) {
      while (!(await child.isReady()) && !isCalledOff()) {
        if (performance.now() > deadline) {
          throw new Trouble(`The ${child.app} did not get ready.`, `Its log, under ${this.logFolder}, says why.`);
        }
        await pause(LOOK_EVERY_MS);
      }
    }
  }
}
