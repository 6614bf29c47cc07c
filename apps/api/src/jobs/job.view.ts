import { JOB_NAMES, JOB_STATUSES, type JobLeft, type JobName, type JobView } from '@weft/contracts';
import type { JobDocument } from '@weft/records';
import { integer, integerOrNull, listOf, named, object, oneOf, orNull, text, timeOrNull } from '../http/schema.js';

export interface JobsView {
  readonly jobs: readonly JobView[];
}

/** @param job null while no scheduler has made it known */
export function toJobView(name: JobName, job: JobDocument | null): JobView {
  return {
    id: name,
    name,
    last_run: job?.lastRun?.toISOString() ?? null,
    status: job?.status ?? 'never',
    duration_ms: job?.durationMs ?? null,
    next_run: job?.nextRun.toISOString() ?? null,
    entries_deleted: job?.entriesDeleted ?? 0,
    left: job?.left ?? null,
  };
}

const leftSchema = object<JobLeft>({
  plays: {
    ...integer,
    description: 'Plays that are due, at most; counted up to a million for each rule of each company.',
  },
  bytes: { ...integer, description: 'About as much they take in the database, without large outputs.' },
  overdue_ms: { ...integer, description: 'For how long the oldest of them could have been deleted.' },
});

export const jobSchema = named(
  'Job',
  object<JobView>({
    id: text,
    name: oneOf(JOB_NAMES),
    last_run: { ...timeOrNull, description: 'When its last run began.' },
    status: oneOf(JOB_STATUSES),
    duration_ms: { ...integerOrNull, description: 'Of the last run that ended.' },
    next_run: { ...timeOrNull, description: 'Null until a scheduler knows the job.' },
    entries_deleted: { ...integer, description: 'By the last run that ended.' },
    left: {
      ...orNull(leftSchema),
      description: 'Of retention, while it runs: what it still has to delete, as far as it has looked.',
    },
  }),
);
export const jobsSchema = named('Jobs', object<JobsView>({ jobs: listOf(jobSchema) }));
