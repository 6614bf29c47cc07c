/** The background jobs of docs/operator-contract.md §4, as `GET /admin/jobs` names them. */
export const JOB_NAMES = ['retention', 'audit-cache', 'cache-eviction', 'scheduler'] as const;
export type JobName = (typeof JOB_NAMES)[number];

export const JOB_STATUSES = ['never', 'running', 'ok', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What a run that is under way still has to delete, as far as it has looked. */
export interface JobLeft {
  /** Plays, at most; counted up to a million for each rule of each company. */
  readonly plays: number;
  /** They take about as much in the database, without large outputs. */
  readonly bytes: number;
  /** For how long the oldest of them could have been deleted. */
  readonly overdue_ms: number;
}

/** docs/http-api.md §7, a background job. */
export interface JobView {
  readonly id: string;
  readonly name: JobName;
  /** When its last run began. */
  readonly last_run: string | null;
  readonly status: JobStatus;
  /** Outcome of the last run that ended. */
  readonly duration_ms: number | null;
  /** Null until a scheduler knows the job. */
  readonly next_run: string | null;
  /** Entries that the last completed run deleted; 0 for a job that deletes nothing. */
  readonly entries_deleted: number;
  /** Null between runs, and of jobs that delete no plays. */
  readonly left: JobLeft | null;
}
