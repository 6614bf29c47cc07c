import { JOB_NAMES, JOB_STATUSES, type JobLeft, type JobName, type JobStatus } from '@weft/contracts';
import { Schema } from 'mongoose';

export const JOBS = 'jobs';

/** One background job of the installation: when it ran, when it runs, who runs it. A handful of records, found by `_id`. */
export interface JobDocument {
  readonly _id: JobName;
  readonly status: JobStatus;
  /** Beginning of the last run. */
  readonly lastRun: Date | null;
  readonly durationMs: number | null;
  readonly nextRun: Date;
  readonly entriesDeleted: number;
  readonly everyMs: number;
  /** Somebody wants a run now. */
  readonly asked: boolean;
  /** Names the run that is under way: only that one writes its end. It holds the lease of the job. */
  readonly run: string | null;
  /** Written now and then by a run that is under way. */
  readonly left?: JobLeft | null;
}

export const jobSchema = new Schema<JobDocument>(
  {
    _id: { type: String, required: true, enum: JOB_NAMES },
    status: { type: String, required: true, enum: JOB_STATUSES },
    lastRun: { type: Date, default: null },
    durationMs: { type: Number, default: null },
    nextRun: { type: Date, required: true },
    entriesDeleted: { type: Number, required: true },
    everyMs: { type: Number, required: true },
    asked: { type: Boolean, required: true },
    run: { type: String, default: null },
    left: {
      type: { plays: Number, bytes: Number, overdue_ms: Number },
      default: undefined,
      _id: false,
    },
  },
  { collection: JOBS, minimize: false, versionKey: false },
);
