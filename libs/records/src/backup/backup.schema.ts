import { Schema } from 'mongoose';

export const BACKUPS = 'backups';

/** What backups and restores of this database leave in it. */
export interface BackupDocument {
  /**
   * `newest`: the last backup that was completed. `restoring`: a restore is in progress or was ended; no process starts on such a
   * database. `mark <uuid>`: the point in time of a backup that is being written.
   */
  readonly _id: string;
  /** `newest`: the time that the backup shows; `restoring`: when it began. */
  readonly at: Date;
  /** `restoring`: the id of the backup. */
  readonly backup?: string;
}

export const backupSchema = new Schema<BackupDocument>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    backup: { type: String },
  },
  { collection: BACKUPS, versionKey: false },
);
