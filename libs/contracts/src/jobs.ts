/** The content of a doorbell: look at this play, if it still has this epoch. Ids only; never user data. */
export interface PlayJob {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
  readonly epoch: number;
}

/** BullMQ keeps job ids for ever, finished or not, so that ringing twice for one epoch gives one job. */
export function playJobId(job: Pick<PlayJob, 'playId' | 'epoch'>): string {
  return `${job.playId}-${job.epoch}`;
}
