import type { JobName } from '@weft/contracts';

/** A background job: what it is called, how often it runs, what it does. */
export interface JobDefinition {
  readonly name: JobName;
  /** Milliseconds from the beginning of a run to that of the next; asked again every second, so it may change. */
  everyMs(): number;
  /** One run, by one process at a time. A run that throws has failed, and is told in the log. */
  run(run: JobRun): Promise<JobResult>;
}

export interface JobRun {
  /** When it began, by MongoDB's clock. */
  readonly startedAt: Date;
  /** Aborted when the process stops, or when another process has taken the run over: end soon, at a safe place. */
  readonly signal: AbortSignal;
}

export interface JobResult {
  readonly entriesDeleted?: number;
  /** True: a part of the work failed, and has been told. */
  readonly hasFaults?: boolean;
  /** True: something is left to do, and the next run begins at once, wherever there is room. */
  readonly goesOn?: boolean;
}
