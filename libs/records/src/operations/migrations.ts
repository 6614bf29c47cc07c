import { setTimeout as pause } from 'node:timers/promises';
import type { Mongo } from '@weft/store';
import { MIGRATIONS } from './catalog.js';
import { MigrationRepository, type MigrationClaim } from './migration.repository.js';
import type { Migration } from './migration.js';
import type { HealthProbeDocument } from './health-probe.schema.js';
import { RunningProcesses } from './running-processes.js';

const LEASE_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** How new this build is: the number of migrations that it knows. */
export const DATA_LEVEL = MIGRATIONS.length;

export interface MigrationsOptions {
  readonly onDone: (done: { readonly id: string; readonly what: string; readonly changed: number }) => void;
  /** A process of an earlier version had made again what this migration removes, and it was removed once more. */
  readonly onRepeated?: (done: { readonly id: string; readonly what: string; readonly changed: number }) => void;
  /** A process of an earlier version ran within the last minute, and has given no sign of life since. */
  readonly onWait?: (names: readonly string[]) => void;
  /** A lease shorter than the default, and other migrations than the catalogue's: for specs. */
  readonly leaseMs?: number;
  readonly catalog?: readonly Migration[];
}

/**
 * Runs the migrations that are due, each once for the installation: in batches under a lease, one process at a time, in the
 * order of the catalogue. The lease of a process that dies expires, and another process continues after the last batch that
 * was recorded.
 */
export class Migrations {
  private readonly records: MigrationRepository;
  private readonly processes: RunningProcesses;
  private readonly catalog: readonly Migration[];
  private readonly leaseMs: number;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: MigrationsOptions,
  ) {
    this.records = new MigrationRepository(mongo);
    this.processes = new RunningProcesses(mongo);
    this.catalog = options.catalog ?? MIGRATIONS;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
  }

  /**
   * Before anything else of a process touches plays: every `standstill` is done when this resolves, by this process or by one
   * that it waits for. Takes up to a minute longer after an earlier version was stopped: whether one that went silent is
   * gone is not known sooner.
   *
   * @throws Error when a process of an earlier version runs, or what a batch threw
   */
  async standstill(): Promise<void> {
    for (const migration of this.catalog.filter(({ phase }) => phase === 'standstill')) {
      const level = this.catalog.indexOf(migration) + 1;
      while (!(await this.isDone(migration))) {
        await this.untilAlone(level);
        if (await this.run(migration, undefined, () => this.assertAlone(level))) break;
        await pause(LOOK_EVERY_MS);
      }
    }
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
   * While other processes work: runs what is due, up to the first migration that has to wait for another process or for the
   * end of old versions.
   *
   * @returns how many of the catalogue are left
   */
  async pass(signal: AbortSignal): Promise<number> {
    const done = await this.doneIds();
    const left = this.catalog.filter(({ id }) => !done.has(id));
    for (const [i, migration] of left.entries()) {
      const level = this.catalog.indexOf(migration) + 1;
      const waitsForOldOnes = migration.phase === 'contract' || migration.phase === 'standstill';
      if (waitsForOldOnes && (await this.processes.lowest()) < level) return left.length - i;
      if (signal.aborted || !(await this.run(migration, signal))) return left.length - i;
    }
    return 0;
  }

  /**
   * After `pass` has left none: removes what processes of earlier versions have made again since. Several processes may do it at
   * once.
   *
   * @returns false when that has to wait until no process of an earlier version runs
   */
  async repeat(): Promise<boolean> {
    for (const migration of this.catalog.filter(({ comesBack }) => comesBack)) {
      if ((await this.processes.lowest()) <= this.catalog.indexOf(migration)) return false;
      const { id, what } = migration;
      const { changed } = await migration.batch(this.mongo, null);
      if (changed > 0) this.options.onRepeated?.({ id, what, changed });
    }
    return true;
  }

  /** @returns false when another process has it, or it was not ended: stop asked for, lease lost */
  private async run(migration: Migration, signal?: AbortSignal, beforeBatch?: () => Promise<void>): Promise<boolean> {
    const { id, what } = migration;
    let claim = await this.records.claim(id, this.leaseMs);
    for (let changed = 0; claim;) {
      if (signal?.aborted) {
        await this.records.release(claim, null);
        return false;
      }
      const batch = await this.batch(migration, claim, beforeBatch);
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

  private async batch(migration: Migration, claim: MigrationClaim, before?: () => Promise<void>) {
    try {
      await before?.();
      return await migration.batch(this.mongo, claim.mark);
    } catch (error) {
      await this.records.release(claim, error instanceof Error ? error.message : String(error)).catch(() => undefined); // its lease ends
      throw new Error(`the migration ${migration.id} stopped: ${String(error)}`, { cause: error });
    }
  }

  /** Resolves when no process of an earlier version was seen for a minute. */
  private async untilAlone(level: number): Promise<void> {
    const first = await this.processes.below(level);
    if (first.length > 0) this.options.onWait?.(namesOf(first));
    const lastSeen = new Map(first.map(({ _id, at }) => [_id, at.getTime()]));
    for (let recent = first; recent.length > 0; recent = await this.processes.below(level)) {
      const running = recent.filter(({ _id, at }) => lastSeen.get(_id) !== at.getTime());
      if (running.length > 0) throw earlierVersionRuns(running);
      await pause(LOOK_EVERY_MS);
    }
  }

  private async assertAlone(level: number): Promise<void> {
    const recent = await this.processes.below(level);
    if (recent.length > 0) throw earlierVersionRuns(recent);
  }

  private async isDone({ id }: Migration): Promise<boolean> {
    return (await this.doneIds()).has(id);
  }

  private async doneIds(): Promise<Set<string>> {
    const records = await this.records.list();
    return new Set(records.filter(({ status }) => status === 'done').map(({ _id }) => _id));
  }
}

function earlierVersionRuns(seen: readonly HealthProbeDocument[]): Error {
  return new Error(
    `processes of an earlier version run on this database (${namesOf(seen).join(', ')}), and cannot share it with this version. ` +
      'Stop all of them, and start this process again.',
  );
}

function namesOf(probes: readonly HealthProbeDocument[]): readonly string[] {
  return [...new Set(probes.map(({ _id, name }) => name ?? _id.replace(/:\d+$/, '')))];
}
