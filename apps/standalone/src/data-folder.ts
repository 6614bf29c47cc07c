import { makeFolder } from '@weft/config';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, isAlive } from '#tools/setup/process-info.mjs';
import { Trouble } from '#tools/setup/trouble.mjs';
import { takeHold } from './take-hold.js';

/** What the standalone app stores between starts, in addition to its databases and secrets. Readable by its owner only. */
export interface Remembered {
  /** Loopback ports of the child processes and of the demo target, so that log files and the demo's address stay the same. */
  readonly ports: Readonly<Record<string, number>>;
  /** The first admin that this app generated, with the password with which it signs in to run the demo. */
  readonly login: { readonly email: string; readonly password: string } | null;
  readonly demoFlowId: string | null;
  /** The address of this app, for the tools of the checkout. */
  readonly url: string | null;
}

const STATE = 'standalone.json';

const NOTHING: Remembered = { ports: {}, login: null, demoFlowId: null, url: null };

/** The folder of one standalone installation, used by one process at a time. */
export class DataFolder {
  private readonly holder: string;
  private readonly state: string;

  private constructor(readonly path: string) {
    this.holder = join(path, 'standalone.pid');
    this.state = join(path, STATE);
  }

  /** @throws Trouble when another standalone app uses it */
  static async hold(path: string): Promise<DataFolder> {
    makeFolder(path);
    const folder = new DataFolder(path);
    const isHolder = async (pid: number) => isAlive(pid) && (await commandLine(pid)).includes('standalone');
    const other = await takeHold(folder.holder, process.pid, isHolder);
    if (other !== null) {
      throw new Trouble(
        `Weft is already running with the data folder ${path} (process ${other}).`,
        'Stop it, or set WEFT_DATA_DIR (and SERVER_PORT) to start another one beside it.',
      );
    }
    return folder;
  }

  /** Whether a standalone app was started over it. */
  static isUsed(path: string): boolean {
    return existsSync(join(path, STATE));
  }

  release(): void {
    rmSync(this.holder, { force: true });
  }

  recall(): Remembered {
    try {
      return { ...NOTHING, ...(JSON.parse(readFileSync(this.state, 'utf8')) as Partial<Remembered>) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
      throw new Trouble(`${this.state} cannot be read.`, 'Mend or remove it: without it the demo is made anew.', {
        cause: error,
      });
    }
  }

  /** Atomic: a crash in between leaves the old content. */
  remember(change: Partial<Remembered>): void {
    const draft = `${this.state}.new`;
    writeFileSync(draft, `${JSON.stringify({ ...this.recall(), ...change })}\n`, { mode: 0o600, flush: true });
    renameSync(draft, this.state);
  }
}
