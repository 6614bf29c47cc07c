import type { mongo } from 'mongoose';
import { recordAudit } from '../audit/record-audit.js';
import type { Mongo } from '../driver/mongo.js';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import type { MigrationBatch } from './migration.js';

/** A migration that a process has claimed. It keeps the claim as long as it records each batch before the lease ends. */
export interface MigrationClaim {
  readonly id: string;
  readonly owner: string;
  readonly term: number;
  readonly mark: string | null;
}

const IS_FREE = { $lte: [{ $ifNull: ['$leaseUntil', new Date(0)] }, '$$NOW'] };
const DUPLICATE_KEY = 11_000;

/** The progress of the migrations. Every time here is MongoDB's. */
export class MigrationRepository {
  constructor(private readonly mongo: Mongo) {}

  async list(): Promise<MigrationDocument[]> {
    return this.records().find().toArray();
  }

  /** @returns null when it is done, or another process has it */
  async claim(id: string, owner: string, leaseMs: number): Promise<MigrationClaim | null> {
    await this.declare(id);
    const record = await this.records().findOneAndUpdate(
      { _id: id, status: { $ne: 'done' }, $expr: IS_FREE },
      [
        {
          $set: {
            status: 'running',
            owner,
            leaseUntil: { $add: ['$$NOW', leaseMs] },
            term: { $add: ['$term', 1] },
            startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
          },
        },
      ],
      { returnDocument: 'after' },
    );
    return record && { id, owner, term: record.term, mark: record.mark };
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
    const { matchedCount } = await this.records().updateOne(mine(claim), [
      { $set: { ...soFar, leaseUntil: { $add: ['$$NOW', leaseMs] } } },
    ]);
    return matchedCount === 1 ? { ...claim, mark: next } : 'lost';
  }

  /** Releases it before it is done: another process continues at once. */
  async release(claim: MigrationClaim, error: string | null): Promise<void> {
    await this.records().updateOne(mine(claim), {
      $set: { status: 'waiting', owner: null, leaseUntil: null, error },
    });
  }

  private async declare(id: string): Promise<void> {
    const fresh = { status: 'waiting', owner: null, leaseUntil: null, term: 0, mark: null, changed: 0 } as const;
    const unset = { startedAt: null, doneAt: null, error: null };
    await this.records()
      .updateOne({ _id: id }, { $setOnInsert: { ...fresh, ...unset } }, { upsert: true })
      .catch((error: Error & { code?: unknown }) => {
        if (error.code !== DUPLICATE_KEY) throw error; // another process made it at the same moment
      });
  }

  private finish(claim: MigrationClaim, soFar: object): Promise<boolean> {
    const done = { ...soFar, status: 'done', doneAt: '$$NOW', owner: null, leaseUntil: null };
    return this.mongo.transaction(async (session) => {
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
  }

  private records(): mongo.Collection<MigrationDocument> {
    return this.mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION);
  }
}

function mine({ id, owner, term }: MigrationClaim) {
  return { _id: id, owner, term };
}
