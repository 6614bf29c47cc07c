import type { JobLeft, JobName } from '@weft/contracts';
import type { mongo } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { isDuplicateKey, recordAudit, SystemScope, type AuditEntryInput, type Look, type Mongo } from '@weft/store';
import { JOBS, type JobDocument } from './job.schema.js';
import { LeasesRepository } from './leases.repository.js';

/** A run of a job, which belongs to who claimed it as long as the lease is renewed. */
export interface JobClaim {
  readonly name: JobName;
  readonly run: string;
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
/** Its time has come, somebody asks for it, or, if nobody holds its lease, who ran it is gone. */
const IS_DUE = { $expr: { $or: ['$asked', { $lte: ['$nextRun', '$$NOW'] }, { $eq: ['$status', 'running'] }] } };
const RUNS = new SystemScope('the background jobs are those of the installation');

/**
 * The background jobs: each is run by one process at a time, once an interval, whatever the number of schedulers and their
 * clocks: every time here is MongoDB's. A run whose process died is taken over when its lease has ended.
 */
export class JobRepository {
  private readonly leases: LeasesRepository;

  constructor(private readonly mongo: Mongo) {
    this.leases = new LeasesRepository(mongo);
  }

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
          run: { $ifNull: ['$run', null] },
          everyMs,
        },
      },
      { $set: { nextRun: { $ifNull: [SINCE_LAST_RUN, '$$NOW'] } } },
    ];
    const upsert = () => this.jobs().updateOne({ _id: name }, declared, { upsert: true });
    await upsert().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return upsert(); // another scheduler made it at the same moment
    });
  }

  /** Whether one of these jobs is due. */
  look(names: readonly JobName[]): Look {
    return { collection: JOBS, filter: { _id: { $in: [...names] }, ...IS_DUE } };
  }

  /** Of these jobs those that a process may claim now; a small read, and another one when there are some. */
  async due(names: readonly JobName[]): Promise<JobName[]> {
    const found = await this.jobs()
      .find({ _id: { $in: [...names] }, ...IS_DUE })
      .project<{ readonly _id: JobName }>({ _id: 1 })
      .toArray();
    const held = await this.heldAmong(found);
    return found.flatMap(({ _id }) => (held.has(leaseOf(_id)) ? [] : [_id]));
  }

  /** @returns null when it is not due, or another process has it */
  async claim(name: JobName, leaseMs: number): Promise<JobClaim | null> {
    const run = randomUUID();
    if (!(await this.leases.take(RUNS, { name: leaseOf(name), holder: run }, leaseMs))) return null;
    const claimed = await this.jobs().findOneAndUpdate(
      { _id: name, ...IS_DUE },
      [
        {
          $set: {
            status: 'running',
            run,
            asked: false,
            lastRun: '$$NOW',
            nextRun: { $add: ['$$NOW', '$everyMs'] },
          },
        },
      ],
      { returnDocument: 'after' },
    );
    if (claimed?.lastRun) return { name, run, startedAt: claimed.lastRun };
    await this.leases.release(RUNS, [leaseOf(name)], run);
    return null;
  }

  /** @returns false when the run is no longer the claimer's: stop working */
  async renew({ name, run }: JobClaim, leaseMs: number): Promise<boolean> {
    return (await this.leases.renew(RUNS, [leaseOf(name)], run, leaseMs)).size === 1;
  }

  /** Says what the run still has to do; nothing when it is another's by now. */
  async tellLeft({ name, run }: JobClaim, left: JobLeft): Promise<void> {
    await this.jobs().updateOne({ _id: name, run }, { $set: { left } });
  }

  /** Ends the run; does nothing when it is another's by now. */
  async finish({ name, run }: JobClaim, { status, entriesDeleted, goesOn }: JobOutcome): Promise<void> {
    await this.jobs().updateOne({ _id: name, run }, [
      {
        $set: {
          status,
          entriesDeleted,
          durationMs: { $subtract: ['$$NOW', '$lastRun'] },
          nextRun: goesOn ? '$$NOW' : SINCE_LAST_RUN,
          run: null,
          left: null,
        },
      },
    ]);
    await this.leases.release(RUNS, [leaseOf(name)], run);
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
    const jobs = await this.jobs().find().toArray();
    const held = await this.heldAmong(jobs);
    return jobs.map((job) =>
      job.status === 'running' && !held.has(leaseOf(job._id)) ? { ...job, status: 'failed' } : job,
    );
  }

  private heldAmong(jobs: readonly Pick<JobDocument, '_id'>[]): Promise<ReadonlySet<string>> {
    return this.leases.held(
      RUNS,
      jobs.map(({ _id }) => leaseOf(_id)),
    );
  }

  private jobs(): mongo.Collection<JobDocument> {
    return this.mongo.collection<JobDocument>(JOBS);
  }
}

function leaseOf(name: JobName): string {
  return `job:${name}`;
}
