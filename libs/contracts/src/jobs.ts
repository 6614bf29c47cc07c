/** What a doorbell says: look at this play, if it still has this epoch. Ids only; never user data. */
export interface PlayJob {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
  readonly epoch: number;
}

/** Known to BullMQ for ever, finished or not, so that one ring of one epoch is one job. */
export function playJobId(job: Pick<PlayJob, 'playId' | 'epoch'>): string {
  return `${job.playId}-${job.epoch}`;
}
