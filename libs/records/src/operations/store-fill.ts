import type { Mongo } from '@weft/store';
import { BACKUPS, type BackupDocument } from '../backup/backup.schema.js';

/** The used share of the disk of MongoDB's data, from 0 to 1; null: MongoDB does not say. */
export async function diskShareOf(mongo: Mongo): Promise<number | null> {
  const stats = await mongo.db.command({ dbStats: 1 }).catch(() => null);
  const [used, total] = [Number(stats?.fsUsedSize), Number(stats?.fsTotalSize)];
  return total > 0 ? used / total : null;
}

/** The time that the last backup shows; null: none was made of this database. */
export async function newestBackupOf(mongo: Mongo): Promise<Date | null> {
  const newest = await mongo.collection<BackupDocument>(BACKUPS).findOne({ _id: 'newest' });
  return newest?.at ?? null;
}
