import type { mongo } from 'mongoose';
import { BACKUPS, type BackupDocument } from '../backup/backup.schema.js';
import { RESTORING } from '../backup/restore-mark.js';
import { missingIndexes } from '../database/collections.js';
import { MAJORITY, type Mongo } from '@weft/store';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import { diskShareOf, newestBackupOf } from './store-fill.js';
import { UpgradeOutlook } from './upgrade-outlook.js';

const MAJORITY_WITHIN_MS = 5_000;

/** How MongoDB is set up. */
export interface ServerFacts {
  readonly version: string;
  /** Without credentials. */
  readonly address: string;
  readonly setName: string;
  /** Of the set, without arbiters. */
  readonly members: number;
  /** The address names one member and forbids to look for the others. */
  readonly isDirect: boolean;
  /** Why a majority did not store a write; null: it did. */
  readonly majorityFault: string | null;
  /** How full its disk is, 0 to 1; null: not known. */
  readonly diskShare: number | null;
  readonly clock: { readonly aheadMs: number; readonly uncertainMs: number };
}

/** What the database says about its own state. */
export interface DatabaseFacts {
  /** A restore has begun then and not ended. */
  readonly restoringSince: Date | null;
  readonly newestBackup: Date | null;
  readonly migrationFaults: readonly string[];
  readonly missingIndexes: readonly string[];
  /** The versions of the stored data that running processes know. */
  readonly runningLevels: readonly number[];
}

/** Reads what `doctor` reports about MongoDB and the database; stores nothing. */
export class Diagnosis {
  constructor(private readonly mongo: Mongo) {}

  async server(): Promise<ServerFacts> {
    const { mongo } = this;
    const { srvHost, hosts, directConnection } = mongo.connection.getClient().options;
    const [before, askedAt] = [Date.now(), performance.now()];
    const hello = await mongo.db.command({ hello: 1 });
    const tookMs = performance.now() - askedAt;
    const { version } = (await mongo.db.command({ buildInfo: 1 })) as { readonly version: string };
    return {
      version,
      address: srvHost ?? hosts.join(', '),
      setName: String(hello.setName),
      members: [hello.hosts ?? [], hello.passives ?? []].flat().length,
      isDirect: directConnection,
      majorityFault: await this.majorityFault(),
      diskShare: await diskShareOf(this.mongo),
      clock: { aheadMs: (hello.localTime as Date).getTime() - (before + tookMs / 2), uncertainMs: tookMs / 2 },
    };
  }

  async database(): Promise<DatabaseFacts> {
    const backups = this.mongo.collection<BackupDocument>(BACKUPS);
    const migrations = this.mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION);
    const stopped = await migrations.find({ status: { $ne: 'done' }, error: { $type: 'string' } }).toArray();
    return {
      restoringSince: (await backups.findOne({ _id: RESTORING }))?.at ?? null,
      newestBackup: await newestBackupOf(this.mongo),
      migrationFaults: stopped.map(({ _id, error }) => `${_id}: ${error}`),
      missingIndexes: (await missingIndexes(this.mongo)).map(({ name }) => name),
      runningLevels: await new UpgradeOutlook(this.mongo).runningLevels(),
    };
  }

  /** A write that changes nothing is acknowledged like any other. */
  private async majorityFault(): Promise<string | null> {
    const nothing = { _id: 'doctor' } as mongo.Filter<BackupDocument>;
    const writeConcern = { ...MAJORITY, wtimeoutMS: MAJORITY_WITHIN_MS };
    try {
      await this.mongo.walked<BackupDocument>(BACKUPS).deleteOne(nothing, { writeConcern });
      return null;
    } catch (error) {
      const { codeName, name } = error as { readonly codeName?: string; readonly name: string };
      return codeName ?? name;
    }
  }
}
