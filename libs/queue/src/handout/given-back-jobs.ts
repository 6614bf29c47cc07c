/** The more jobs are given back, the longer is their delay: a worker gives back about a hundred a second, however many wait. */
const DELAY_MS = 1_000;
const DELAY_MORE_MS = 10;
const DELAY_MOST_MS = 10_000;

interface GivenBackJob {
  readonly companyId: string;
  /** Monotonic time at which the queue hands it out again. */
  readonly untilMs: number;
}

/** The jobs that this worker gave back to the queue, until the queue hands them out again. */
export class GivenBackJobs {
  /** In the order in which they were given back. */
  private readonly jobs = new Map<string, GivenBackJob>();
  private readonly byCompany = new Map<string, Set<string>>();

  /** The delay of the next job that is given back. */
  nextDelayMs(): number {
    this.removeExpired();
    return Math.min(DELAY_MS + DELAY_MORE_MS * this.jobs.size, DELAY_MOST_MS);
  }

  add(jobId: string, companyId: string, delayMs: number): void {
    this.removeExpired();
    this.remove(jobId);
    this.jobs.set(jobId, { companyId, untilMs: performance.now() + delayMs });
    const ofCompany = this.byCompany.get(companyId);
    if (ofCompany) ofCompany.add(jobId);
    else this.byCompany.set(companyId, new Set([jobId]));
  }

  /** The queue has handed the job out again. */
  remove(jobId: string): void {
    const job = this.jobs.get(jobId);
    if (!job) return;
    this.jobs.delete(jobId);
    const ofCompany = this.byCompany.get(job.companyId);
    ofCompany?.delete(jobId);
    if (ofCompany?.size === 0) this.byCompany.delete(job.companyId);
  }

  /** Removes the company's job that was given back first, and returns its id. */
  takeOf(isWanted: (companyId: string) => boolean): string | undefined {
    this.removeExpired();
    for (const [companyId, ofCompany] of this.byCompany) if (isWanted(companyId)) return this.take(ofCompany);
    return undefined;
  }

  /** Removes the job that was given back first, and returns its id. */
  takeAny(): string | undefined {
    this.removeExpired();
    return this.take(this.jobs.keys());
  }

  private take(jobIds: Iterable<string>): string | undefined {
    const [first] = jobIds;
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** The queue may have handed them out to another worker, of which this worker is not notified. */
  private removeExpired(): void {
    const now = performance.now();
    for (const [jobId, { untilMs }] of this.jobs) {
      if (untilMs > now) return;
      this.remove(jobId);
    }
  }
}
