import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pid as thisWorker } from 'node:process';
import { withLock } from '#tools/setup/lock.mjs';
import { isAlive } from '#tools/setup/process-info.mjs';
import {
  joinProcess,
  processEnv,
  scratchFolder,
  sharedServers,
  spawnProcess,
  testRun,
  type AppName,
  type ProcessServers,
  type SharedProcess,
} from '@weft/testing';
import { founded } from '../../fixtures/founded.js';

/** The installations that the workers of a run share. */
const KINDS = {
  /** All four processes. */
  plain: {
    apps: ['api', 'worker', 'realtime', 'scheduler'],
    env: { WORKER_SLOTS: '20', AI_PRICES: 'local-model/*=10:20' },
  },
  /** What `npm start` runs, with the dashboard. */
  standalone: { apps: ['standalone'], env: {} },
} as const satisfies Record<string, { readonly apps: readonly AppName[]; readonly env: object }>;

export type SharedKind = keyof typeof KINDS;

/** What a worker needs to use it. */
interface Note {
  readonly servers: ProcessServers;
  /** What all its processes are given. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: readonly SharedProcess[];
}

/** Idle processes take a quarter of the CPU of their start in this time. */
const UNUSED_MS = 10_000;

/**
 * Each worker starts what is missing and stops what no worker has used for a while; the end of the run ends the rest. They agree by a
 * folder of the run: a lock, a note of the processes, and a file for each worker that uses them.
 */
class SharedInstallation {
  private readonly folder: string;
  private pause?: NodeJS.Timeout;

  constructor(private readonly kind: SharedKind) {
    this.folder = join(testRun().folder, 'shared', kind);
    mkdirSync(join(this.folder, 'users'), { recursive: true });
  }

  /** This worker uses it until it leaves. */
  enter(): Promise<Note> {
    clearTimeout(this.pause);
    return this.inTurn(async () => {
      const note = this.read() ?? (await this.found());
      const running = note.processes.filter(({ pid }) => isAlive(pid));
      const missing = KINDS[this.kind].apps.filter((app) => !running.some((one) => one.app === app));
      const started = await Promise.all(missing.map((app) => start(app, note.env)));
      const processes = [...running, ...started];
      writeFileSync(this.note, JSON.stringify({ ...note, processes }));
      writeFileSync(this.use, '');
      return { ...note, processes };
    });
  }

  leave(): void {
    rmSync(this.use, { force: true });
    const stopUnused = async (): Promise<void> => {
      const isUsed = readdirSync(join(this.folder, 'users')).some((pid) => isAlive(Number(pid)));
      if (!isUsed) await Promise.all(this.read()?.processes.map((process) => joinProcess(process).stop()) ?? []);
    };
    this.pause = setTimeout(() => void this.inTurn(stopUnused), UNUSED_MS);
  }

  private get note(): string {
    return join(this.folder, 'note.json');
  }

  private get use(): string {
    return join(this.folder, 'users', String(thisWorker));
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return withLock(join(this.folder, 'lock'), () => undefined, work);
  }

  private read(): Note | null {
    try {
      return JSON.parse(readFileSync(this.note, 'utf8')) as Note;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Without a process yet. */
  private async found(): Promise<Note> {
    const servers = sharedServers();
    await founded(servers);
    return { servers, env: { ...processEnv(servers), ...KINDS[this.kind].env }, processes: [] };
  }
}

async function start(app: AppName, env: Readonly<Record<string, string>>): Promise<SharedProcess> {
  const logFile = join(scratchFolder(app), 'log');
  const { pid, port } = await spawnProcess(app, env, { logFile });
  return { app, pid, port, logFile };
}

const known = new Map<SharedKind, SharedInstallation>();

export function sharedInstallation(kind: SharedKind): SharedInstallation {
  const found = known.get(kind) ?? new SharedInstallation(kind);
  known.set(kind, found);
  return found;
}
