import { setTimeout as pause } from 'node:timers/promises';
import type { Mongo } from '../mongo.js';
import { MIGRATIONS } from './catalog.js';
import { MigrationRepository, type MigrationClaim } from './migration.repository.js';
import type { Migration } from './migration.js';
import { ProcessLevels } from './process-levels.js';

const LEASE_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** How new this build is: the number of migrations that it knows. */
export const DATA_LEVEL = MIGRATIONS.length;

export interface MigrationsOptions {
  /** Names this process. */
  readonly owner: string;
  readonly onDone: (done: { readonly id: string; readonly what: string; readonly changed: number }) => void;
  /** A lease shorter than the default, and other migrations than the catalogue's: for specs. */
  readonly leaseMs?: number;
  readonly catalog?: readonly Migration[];
}

/**
 * Runs the migrations that are due, each once for the installation: in batches under a lease, one process at a time, in the
 * order of the catalogue. A process that dies leaves its lease, and another goes on behind the last batch that was recorded.
 */
export class Migrations {
  private readonly records: MigrationRepository;
  private readonly levels: ProcessLevels;
  private readonly catalog: readonly Migration[];
  private readonly leaseMs: number;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: MigrationsOptions,
  ) {
    this.records = new MigrationRepository(mongo);
    this.levels = new ProcessLevels(mongo);
    this.catalog = options.catalog ?? MIGRATIONS;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
  }

  /**
   * Before a process serves: every `expand` is done when this resolves, by this process or by one that it waits for.
   *
   * @throws what a batch threw; the migration is given back, and the next process that starts tries again
   */
  async expand(signal?: AbortSignal): Promise<void> {
    for (const migration of this.catalog.filter(({ phase }) => phase === 'expand')) {
      while (!(await this.isDone(migration)) && !(await this.run(migration, signal))) await pause(LOOK_EVERY_MS);
    }
  }

  /**
   * Beside the work: runs what is due until the first that has to wait, for another process or for old versions to go.
   *
   * @returns how many of the catalogue are left
   */
  async pass(signal: AbortSignal): Promise<number> {
    const done = await this.doneIds();
    const left = this.catalog.filter(({ id }) => !done.has(id));
    for (const [i, migration] of left.entries()) {
      const level = this.catalog.indexOf(migration) + 1;
      if (migration.phase === 'contract' && (await this.levels.lowest()) < level) return left.length - i;
      if (signal.aborted || !(await this.run(migration, signal))) return left.length - i;
    }
    return 0;
  }

  /** @returns false when another process has it, or it was not ended: stop asked for, lease lost */
  private async run(migration: Migration, signal?: AbortSignal): Promise<boolean> {
    const { id, what } = migration;
    let claim = await this.records.claim(id, this.options.owner, this.leaseMs);
    for (let changed = 0; claim;) {
      if (signal?.aborted) {
        await this.records.release(claim, null);
        return false;
      }
      const batch = await this.batch(migration, claim);
      changed += batch.changed;
      const went = await this.records.advance(claim, batch, this.leaseMs);
      if (went === 'lost') return false;
      if (went === 'done') {
        this.options.onDone({ id, what, changed });
        return true;
      }
      claim = went;
    }
    return false;
  }

  private async batch(migration: Migration, claim: MigrationClaim) {
    try {
      return await migration.batch(this.mongo, claim.mark);
    } catch (error) {
      await this.records.release(claim, error instanceof Error ? error.message : String(error)).catch(() => undefined); // its lease ends
      throw new Error(`the migration ${migration.id} stopped: ${String(error)}`, { cause: error });
    }
  }

  private async isDone({ id }: Migration): Promise<boolean> {
    return (await this.doneIds()).has(id);
  }

  private async doneIds(): Promise<Set<string>> {
    const records = await this.records.list();
    return new Set(records.filter(({ status }) => status === 'done').map(({ _id }) => _id));
  }
}
