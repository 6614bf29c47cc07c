import { Schema } from 'mongoose';

export const MIGRATIONS_COLLECTION = 'migrations';

export const MIGRATION_STATUSES = ['waiting', 'running', 'done'] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** The state of one migration. A handful of records, found by `_id`; none is ever deleted. */
export interface MigrationDocument {
  /** Its id in the catalogue. */
  readonly _id: string;
  readonly status: MigrationStatus;
  /** Names who runs it: only that one writes how far it is. It holds the lease of the migration. */
  readonly run: string | null;
  /** How far it is: the next batch begins after this. Null: at the beginning. */
  readonly mark: string | null;
  /** Documents and indexes that it has changed so far. */
  readonly changed: number;
  readonly startedAt: Date | null;
  readonly doneAt: Date | null;
  /** Why the last batch failed, until one succeeds. */
  readonly error: string | null;
}

export const migrationSchema = new Schema<MigrationDocument>(
  {
    _id: { type: String, required: true },
    status: { type: String, required: true, enum: MIGRATION_STATUSES },
    run: { type: String, default: null },
    mark: { type: String, default: null },
    changed: { type: Number, required: true },
    startedAt: { type: Date, default: null },
    doneAt: { type: Date, default: null },
    error: { type: String, default: null },
  },
  { collection: MIGRATIONS_COLLECTION, minimize: false, versionKey: false },
);
