import { randomUUID } from 'node:crypto';
import { BACKUP_FORMAT, BackupWriter, DATA_LEVEL, type BackupKeys, type BackupTarget } from '@weft/records';
import { productVersion } from '@weft/process';

interface Facts {
  readonly target: BackupTarget;
  readonly keys: BackupKeys;
  readonly database: string;
  readonly startedAt: Date;
}

/** Begins the file when the names of the collections are known. */
export function openBackup({ target, keys, database, startedAt }: Facts) {
  return (collections: readonly string[]): BackupWriter =>
    new BackupWriter(target, {
      format: BACKUP_FORMAT,
      id: randomUUID(),
      version: productVersion(),
      dataLevel: DATA_LEVEL,
      database,
      startedAt: startedAt.toISOString(),
      collections,
      keys,
    });
}
