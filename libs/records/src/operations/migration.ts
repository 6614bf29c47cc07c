import type { Mongo } from '@weft/store';

/**
 * When a migration may run, while the version before may still be running:
 *
 * - `standstill` changes what two versions cannot share, such as the name of a field: before a process of the new version
 *   serves, and only when no process of an earlier version runs. While one does, processes of the new version do not start.
 * - `expand` adds what the new version needs and the old one does not mind: before a process of the new version serves. One
 *   process runs it, the others wait for it.
 * - `migrate` turns stored documents into what both versions read: at any time, by a scheduler, while other processes work.
 * - `contract` removes what only the old version needs, or repairs what only it still writes: by a scheduler, once no
 * process of a version from before the migration has been seen for a minute.
 */
export type MigrationPhase = 'standstill' | 'expand' | 'migrate' | 'contract';

export interface MigrationBatch {
  /** Documents and indexes changed. */
  readonly changed: number;
  /** Where the next batch begins; null: nothing is left. */
  readonly next: string | null;
}

/** A change of what is stored, made once for the installation. */
export interface Migration {
  /** Never changed once it was released; sorts nowhere, the catalogue's order counts. */
  readonly id: string;
  readonly phase: MigrationPhase;
  /** One sentence for operators. */
  readonly what: string;
  /**
   * Of a `contract` of one batch: a process of an earlier version that starts later, after a rollback, makes again what it removes.
   * So it is run again each day (`Migrations.repeat`).
   */
  readonly comesBack?: true;
  /** About how many documents and indexes it looks at: `doctor --upgrade-from` says it before the upgrade, and how long that takes. */
  readonly size: (mongo: Mongo) => Promise<number>;
  /** How many of them a second, as its author has measured. */
  readonly perSecond: number;
  /**
   * One batch: some seconds at most. A batch that was interrupted, or whose end was not recorded, is run again from the same
   * mark, so the same batch twice must come to the same as once.
   *
   * @param mark null at the beginning, then what the batch before gave as `next`
   */
  batch(mongo: Mongo, mark: string | null): Promise<MigrationBatch>;
}
