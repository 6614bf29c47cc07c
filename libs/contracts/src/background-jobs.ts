/** The background jobs of specification §6.5, as `GET /admin/jobs` names them. */
export const JOB_NAMES = ['retention', 'audit-cache', 'cache-eviction', 'scheduler'] as const;
export type JobName = (typeof JOB_NAMES)[number];

export const JOB_STATUSES = ['never', 'running', 'ok', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Contract §7, a background job. */
export interface JobView {
  readonly id: string;
  readonly name: JobName;
  /** When its last run began. */
  readonly last_run: string | null;
  readonly status: JobStatus;
  /** Of the last run that ended. */
  readonly duration_ms: number | null;
  /** Null until a scheduler knows the job. */
  readonly next_run: string | null;
  /** By the last run that ended; 0 of a job that deletes nothing. */
  readonly entries_deleted: number;
}
