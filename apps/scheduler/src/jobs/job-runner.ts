import type { JobLeft, JobName } from '@weft/contracts';
import type { JobClaim, JobOutcome } from '@weft/records';
import type { JobDefinition } from './job-definition.js';

/** Where jobs are claimed and ended: `JobRepository`. */
export interface JobStore {
  declare(name: JobName, everyMs: number): Promise<void>;
  due(names: readonly JobName[]): Promise<JobName[]>;
  claim(name: JobName, leaseMs: number): Promise<JobClaim | null>;
  renew(claim: JobClaim, leaseMs: number): Promise<boolean>;
  tellLeft(claim: JobClaim, left: JobLeft): Promise<void>;
  finish(claim: JobClaim, outcome: JobOutcome): Promise<void>;
}

export interface JobRunnerOptions {
  readonly store: JobStore;
  readonly leaseMs: number;
  /** Called for a run that failed, and for a lease that could not be renewed or ended. */
  readonly onFault: (name: JobName, error: unknown) => void;
}

/**
 * Runs the jobs of this process that are due and that no other process runs. A long run does not delay other jobs. The lease
 * of a process that dies expires, and another process takes over the job.
 */
export class JobRunner {
  private readonly jobs = new Map<JobName, JobDefinition>();
  private readonly declared = new Map<JobName, number>();
  private readonly running = new Map<JobName, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: JobRunnerOptions) {}

  add(job: JobDefinition): void {
    if (this.jobs.has(job.name)) throw new TypeError(`the job ${job.name} has two definitions`);
    this.jobs.set(job.name, job);
  }

  /** The jobs that this process does not run now. */
  get idleNames(): readonly JobName[] {
    return [...this.jobs.keys()].filter((name) => !this.running.has(name));
  }

  /** Starts what is due, and does not wait for it to end. */
  async pass(): Promise<void> {
    await this.declare();
    const { idleNames } = this;
    if (idleNames.length === 0) return;
    for (const name of await this.options.store.due(idleNames)) {
      const job = this.jobs.get(name);
      const claim = job && (await this.options.store.claim(name, this.options.leaseMs));
      if (claim) this.begin(job, claim);
    }
  }

  /** Resolves when no run is in progress in this process. */
  async idle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  /** Asks the runs that are in progress to end. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.idle();
  }

  private async declare(): Promise<void> {
    for (const [name, job] of this.jobs) {
      const everyMs = job.everyMs();
      if (this.declared.get(name) === everyMs) continue;
      await this.options.store.declare(name, everyMs);
      this.declared.set(name, everyMs);
    }
  }

  private begin(job: JobDefinition, claim: JobClaim): void {
    const running = this.run(job, claim).finally(() => this.running.delete(job.name));
    this.running.set(job.name, running);
  }

  private async run(job: JobDefinition, claim: JobClaim): Promise<void> {
    const { store, leaseMs, onFault } = this.options;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      store.renew(claim, leaseMs).then(
        (isMine) => isMine || lost.abort(),
        (error: unknown) => onFault(job.name, error), // a later renewal may succeed; if none does, another process takes over
      );
    }, leaseMs / 3);
    const signal = AbortSignal.any([this.stopping.signal, lost.signal]);
    let outcome: JobOutcome;
    try {
      const {
        entriesDeleted = 0,
        goesOn = false,
        hasFaults = false,
      } = await job.run({
        startedAt: claim.startedAt,
        signal,
        tellLeft: (left) => store.tellLeft(claim, left),
      });
      outcome = { status: hasFaults ? 'failed' : 'ok', entriesDeleted, goesOn: goesOn || this.stopping.signal.aborted };
    } catch (error) {
      onFault(job.name, error);
      outcome = { status: 'failed', entriesDeleted: 0, goesOn: false };
    } finally {
      clearInterval(renewal);
    }
    await store.finish(claim, outcome).catch((error: unknown) => onFault(job.name, error)); // its lease expires by itself
  }
}
