import type { JobLeft, JobName } from '@weft/contracts';

/** A background job: its name, how often it runs, and what it does. */
export interface JobDefinition {
  readonly name: JobName;
  /** Milliseconds from the start of a run to the start of the next. Read every second, so the value may change. */
  everyMs(): number;
  /** One run, in one process at a time. A run that throws has failed, and is logged. */
  run(run: JobRun): Promise<JobResult>;
}

export interface JobRun {
  /** When the run began, by MongoDB's clock. */
  readonly startedAt: Date;
  /**
   * Aborted when the process stops, or when another process has taken over the run: the run must end soon, at a safe place.
   */
  readonly signal: AbortSignal;
  /** Says what the run still has to do, for its operators. */
  readonly tellLeft: (left: JobLeft) => Promise<void>;
}

export interface JobResult {
  readonly entriesDeleted?: number;
  /** True: a part of the work failed and was reported. */
  readonly hasFaults?: boolean;
  /** True: work is left, and the next run begins at once, in any process that has room. */
  readonly goesOn?: boolean;
}
