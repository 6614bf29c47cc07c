import { PLAYS, SystemScope, type Mongo } from '@weft/store';
import { PLAY_SCHEMA_VERSION, type Play } from '@weft/engine';
import { missingIndexes, type MissingIndex } from '../database/collections.js';
import { isProvisioned } from '../people/provision.js';
import { MIGRATIONS } from './catalog.js';
import type { Migration, MigrationPhase } from './migration.js';
import { MigrationRepository } from './migration.repository.js';
import { RunningProcesses } from './running-processes.js';

const FOUNDING = new SystemScope('whether there is anything to upgrade');

/** A migration of this version that has not been done. */
export interface MigrationAhead {
  readonly id: string;
  readonly phase: MigrationPhase;
  readonly what: string;
  /** About how many it looks at. */
  readonly documents: number;
  readonly seconds: number;
}

/** An index of this version that the database lacks. */
export interface IndexAhead extends MissingIndex {
  /** About how many documents its collection has. */
  readonly documents: number;
}

/** What processes of this version would do with a database: `doctor --upgrade-from` says it before one of them starts. Only reads. */
export class UpgradeOutlook {
  /** @param catalog other migrations than the catalogue's: for specs */
  constructor(
    private readonly mongo: Mongo,
    private readonly catalog: readonly Migration[] = MIGRATIONS,
  ) {}

  async isEmpty(): Promise<boolean> {
    return !(await isProvisioned(this.mongo, FOUNDING));
  }

  /** What a release newer than this one has left, in words: its migrations, plays and processes. */
  async newerTraces(): Promise<readonly string[]> {
    const known = new Set(this.catalog.map(({ id }) => id));
    const records = await new MigrationRepository(this.mongo).list();
    const [newest] = await this.mongo
      .collection<Play>(PLAYS)
      .find({}, { projection: { schemaVersion: 1 } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    const schema = newest?.schemaVersion ?? 0;
    const levels = await this.runningLevels();
    return [
      ...records.filter(({ _id }) => !known.has(_id)).map(({ _id }) => `the migration ${_id}`),
      ...(schema > PLAY_SCHEMA_VERSION ? [`plays with schemaVersion ${schema}`] : []),
      ...levels.filter((level) => level > this.catalog.length).map((level) => `running processes of level ${level}`),
    ];
  }

  /** How many migrations each running process knows: of each number one. */
  async runningLevels(): Promise<readonly number[]> {
    const signs = await new RunningProcesses(this.mongo).below(Number.MAX_SAFE_INTEGER);
    return [...new Set(signs.map(({ level }) => level))].toSorted((a, b) => a - b);
  }

  /** In the order in which they run. */
  async migrations(): Promise<readonly MigrationAhead[]> {
    const done = await this.doneIds();
    const ahead = this.catalog.filter(({ id }) => !done.has(id));
    return Promise.all(
      ahead.map(async ({ id, phase, what, size, perSecond }) => {
        const documents = await size(this.mongo);
        return { id, phase, what, documents, seconds: documents / perSecond };
      }),
    );
  }

  /** Those after the first `level` of the catalogue that are done, and that a version of this level cannot undo. */
  async doneForGood(level: number): Promise<readonly string[]> {
    const done = await this.doneIds();
    const later = this.catalog.slice(level).filter(({ phase }) => phase === 'contract' || phase === 'standstill');
    return later.filter(({ id }) => done.has(id)).map(({ id }) => id);
  }

  async indexes(): Promise<readonly IndexAhead[]> {
    const missing = await missingIndexes(this.mongo);
    const sizes = new Map<string, Promise<number>>();
    return Promise.all(
      missing.map(async (index) => {
        const size = sizes.get(index.collection) ?? this.mongo.collection(index.collection).estimatedDocumentCount();
        sizes.set(index.collection, size);
        return { ...index, documents: await size };
      }),
    );
  }

  private async doneIds(): Promise<ReadonlySet<string>> {
    const records = await new MigrationRepository(this.mongo).list();
    return new Set(records.filter(({ status }) => status === 'done').map(({ _id }) => _id));
  }
}
