import type { mongo } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { unlessTaken, recordAudit, SystemScope, type Mongo } from '@weft/store';
import { LeasesRepository } from './leases.repository.js';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import type { MigrationBatch } from './migration.js';

/** A migration that a process has claimed. It keeps the claim as long as it records each batch before the lease ends. */
export interface MigrationClaim {
  readonly id: string;
  readonly run: string;
  readonly mark: string | null;
}

const ALL = new SystemScope('migrations change what is stored of all companies');

/** The progress of the migrations. Every time here is MongoDB's. */
export class MigrationRepository {
  private readonly leases: LeasesRepository;

  constructor(private readonly mongo: Mongo) {
    this.leases = new LeasesRepository(mongo);
  }

  async list(): Promise<MigrationDocument[]> {
    return this.records().find().toArray();
  }

  /** @returns null when it is done, or another process has it */
  async claim(id: string, leaseMs: number): Promise<MigrationClaim | null> {
    await this.declare(id);
    const run = randomUUID();
    if (!(await this.leases.take(ALL, { name: leaseOf(id), holder: run }, leaseMs))) return null;
    const record = await this.records().findOneAndUpdate(
      { _id: id, status: { $ne: 'done' } },
      [{ $set: { status: 'running', run, startedAt: { $ifNull: ['$startedAt', '$$NOW'] } } }],
      { returnDocument: 'after' },
    );
    if (record) return { id, run, mark: record.mark };
    await this.leases.release(ALL, [leaseOf(id)], run);
    return null;
  }

  /**
   * Records a batch. The last one releases the migration, done, and leaves an audit entry.
   *
   * @returns where to continue; `lost` when another process has it by now
   */
  async advance(
    claim: MigrationClaim,
    { changed, next }: MigrationBatch,
    leaseMs: number,
  ): Promise<MigrationClaim | 'done' | 'lost'> {
    const soFar = { changed: { $add: ['$changed', changed] }, mark: next, error: null };
    if (next === null) return (await this.finish(claim, soFar)) ? 'done' : 'lost';
    if ((await this.leases.renew(ALL, [leaseOf(claim.id)], claim.run, leaseMs)).size === 0) return 'lost';
    const { matchedCount } = await this.records().updateOne(mine(claim), [{ $set: soFar }]);
    return matchedCount === 1 ? { ...claim, mark: next } : 'lost';
  }

  /** Releases it before it is done: another process continues at once. */
  async release(claim: MigrationClaim, error: string | null): Promise<void> {
    await this.records().updateOne(mine(claim), { $set: { status: 'waiting', run: null, error } });
    await this.leases.release(ALL, [leaseOf(claim.id)], claim.run);
  }

  private async declare(id: string): Promise<void> {
    const fresh = { status: 'waiting', run: null, mark: null, changed: 0 } as const;
    const unset = { startedAt: null, doneAt: null, error: null };
    // taken: another process made it at the same moment
    await unlessTaken(
      this.records().updateOne({ _id: id }, { $setOnInsert: { ...fresh, ...unset } }, { upsert: true }),
    );
  }

  private async finish(claim: MigrationClaim, soFar: object): Promise<boolean> {
    const done = { ...soFar, status: 'done', doneAt: '$$NOW', run: null };
    const isDone = await this.mongo.transaction(async (session) => {
      const options = { session, returnDocument: 'after' } as const;
      const record = await this.records().findOneAndUpdate(mine(claim), [{ $set: done }], options);
      if (!record) return false;
      await recordAudit(session, {
        action_type: 'migration_run',
        collection: MIGRATIONS_COLLECTION,
        company_id: null,
        resource_type: 'migration',
        resource_id: claim.id,
        changes: { changed: { before: null, after: record.changed } },
      });
      return true;
    });
    await this.leases.release(ALL, [leaseOf(claim.id)], claim.run);
    return isDone;
  }

  private records(): mongo.Collection<MigrationDocument> {
    return this.mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION);
  }
}

function mine({ id, run }: MigrationClaim) {
  return { _id: id, run };
}

function leaseOf(id: string): string {
  return `migration:${id}`;
}
