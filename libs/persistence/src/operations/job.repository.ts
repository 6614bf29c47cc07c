import type { JobName } from '@weft/contracts';
import type { mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import type { Mongo } from '../driver/mongo.js';
import { JOBS, type JobDocument } from './job.schema.js';

/** A run of a job that belongs to who claimed it, as long as the lease is renewed. */
export interface JobClaim {
  readonly name: JobName;
  readonly owner: string;
  readonly term: number;
  /** By MongoDB's clock. */
  readonly startedAt: Date;
}

export interface JobOutcome {
  readonly status: 'ok' | 'failed';
  readonly entriesDeleted: number;
  /** True: there is more to do, and the next run is due at once. */
  readonly goesOn: boolean;
}

const SINCE_LAST_RUN = { $add: ['$lastRun', '$everyMs'] };
const IS_FREE = { $lte: [{ $ifNull: ['$leaseUntil', new Date(0)] }, '$$NOW'] };
/** Its time has come, somebody asks for it, or who ran it is gone. */
const IS_DUE = { $or: ['$asked', { $lte: ['$nextRun', '$$NOW'] }, { $ne: ['$owner', null] }] };
const CLAIMABLE = { $expr: { $and: [IS_FREE, IS_DUE] } };
const DUPLICATE_KEY = 11_000;

/**
 * The background jobs: each is run by one process at a time, once an interval, whatever the number of schedulers and their
 * clocks: every time here is MongoDB's. A run whose process died is taken over when its lease has ended.
 */
export class JobRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Makes the job known with its interval; a job that never ran is due at once. */
  async declare(name: JobName, everyMs: number): Promise<void> {
    const declared = [
      {
        $set: {
          status: { $ifNull: ['$status', 'never'] },
          lastRun: { $ifNull: ['$lastRun', null] },
          durationMs: { $ifNull: ['$durationMs', null] },
          entriesDeleted: { $ifNull: ['$entriesDeleted', 0] },
          asked: { $ifNull: ['$asked', false] },
          owner: { $ifNull: ['$owner', null] },
          leaseUntil: { $ifNull: ['$leaseUntil', null] },
          term: { $ifNull: ['$term', 0] },
          everyMs,
        },
      },
      { $set: { nextRun: { $ifNull: [SINCE_LAST_RUN, '$$NOW'] } } },
    ];
    const upsert = () => this.jobs().updateOne({ _id: name }, declared, { upsert: true });
    await upsert().catch((error: Error & { code?: unknown }) => {
      if (error.code !== DUPLICATE_KEY) throw error;
      return upsert(); // another scheduler made it at the same moment
    });
  }

  /** Of these jobs those that a process may claim now; one small read. */
  async due(names: readonly JobName[]): Promise<JobName[]> {
    const found = await this.jobs()
      .find({ _id: { $in: [...names] }, ...CLAIMABLE })
      .project<{ readonly _id: JobName }>({ _id: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** @returns null when it is not due, or another process has it */
  async claim(name: JobName, owner: string, leaseMs: number): Promise<JobClaim | null> {
    const claimed = await this.jobs().findOneAndUpdate(
      { _id: name, ...CLAIMABLE },
      [
        {
          $set: {
            status: 'running',
            owner,
            asked: false,
            lastRun: '$$NOW',
            nextRun: { $add: ['$$NOW', '$everyMs'] },
            leaseUntil: { $add: ['$$NOW', leaseMs] },
            term: { $add: ['$term', 1] },
          },
        },
      ],
      { returnDocument: 'after' },
    );
    return claimed?.lastRun ? { name, owner, term: claimed.term, startedAt: claimed.lastRun } : null;
  }

  /** @returns false when the run is no longer the claimer's: stop working */
  async renew({ name, owner, term }: JobClaim, leaseMs: number): Promise<boolean> {
    const { matchedCount } = await this.jobs().updateOne({ _id: name, owner, term }, [
      { $set: { leaseUntil: { $add: ['$$NOW', leaseMs] } } },
    ]);
    return matchedCount === 1;
  }

  /** Ends the run; does nothing when it is another's by now. */
  async finish({ name, owner, term }: JobClaim, { status, entriesDeleted, goesOn }: JobOutcome): Promise<void> {
    await this.jobs().updateOne({ _id: name, owner, term }, [
      {
        $set: {
          status,
          entriesDeleted,
          durationMs: { $subtract: ['$$NOW', '$lastRun'] },
          nextRun: goesOn ? '$$NOW' : SINCE_LAST_RUN,
          owner: null,
          leaseUntil: null,
        },
      },
    ]);
  }

  /** Asks for a run as soon as possible: of one that is under way, for another after it. False: no scheduler knows the job yet. */
  async ask(name: JobName, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.jobs().updateOne({ _id: name }, { $set: { asked: true } }, { session });
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** Those that schedulers made known. A run whose lease has ended shows as failed: its process died, another takes it over. */
  async list(): Promise<JobDocument[]> {
    return this.jobs()
      .aggregate<JobDocument>([
        {
          $set: {
            status: { $cond: [{ $and: [{ $eq: ['$status', 'running'] }, IS_FREE] }, 'failed', '$status'] },
          },
        },
      ])
      .toArray();
  }

  private jobs(): mongo.Collection<JobDocument> {
    return this.mongo.collection<JobDocument>(JOBS);
  }
}
