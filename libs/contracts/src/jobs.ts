/** The content of a doorbell: look at this play, if it still has this epoch. Ids only; never user data. */
export interface PlayJob {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
  readonly epoch: number;
  /** The play was handed out before, in a job of several plays: the next hand-out is a re-delivery. */
  readonly handedOut?: true;
}

/** Several plays of one company that were rung for together, and for the first time, in one job. */
export interface GroupJob {
  readonly companyId: string;
  readonly plays: readonly Omit<PlayJob, 'companyId' | 'handedOut'>[];
}

/** The data of a job in the queue. */
export type QueueJob = PlayJob | GroupJob;

/** BullMQ keeps job ids for ever, finished or not, so that ringing twice for one epoch gives one job. */
export function playJobId(job: Pick<PlayJob, 'playId' | 'epoch'>): string {
  return `${job.playId}-${job.epoch}`;
}

export function isGroupJob(job: QueueJob): job is GroupJob {
  return 'plays' in job;
}

/** The plays of a job, in the order in which they are to run. */
export function playsOfJob(job: QueueJob): readonly PlayJob[] {
  if (!isGroupJob(job)) return [job];
  return job.plays.map((play) => ({ ...play, companyId: job.companyId }));
}

/** The id of a group is that of its first play and how many more there are, so that a list of ids tells how many plays wait. */
export function queueJobId(job: QueueJob): string {
  if (!isGroupJob(job)) return playJobId(job);
  const [first] = job.plays;
  if (!first) throw new Error('a job has at least one play');
  return `${playJobId(first)}+${job.plays.length - 1}`;
}

export function isGroupId(jobId: string): boolean {
  return jobId.includes('+');
}

/** How many plays a job had when it was added, from its id. */
export function playCountOf(jobId: string): number {
  return 1 + Number(jobId.split('+')[1] ?? 0);
}
