import type { PlayJob } from '@weft/contracts';
import type { Doorbell, RunWindow } from '@weft/queue';

interface Accepted {
  readonly job: PlayJob;
  readonly askedAtMs: number;
}

export interface RunBellOptions {
  readonly windowSize: () => number;
  readonly onWaiting: (companyId: string, waiting: number) => void;
  /** Plays that were accepted and not rung for: Redis is away. */
  readonly onSilent: (count: number, cause: unknown) => void;
}

/**
 * Rings for accepted plays, many at a time, beside the answers: those that their company's window has room for. What is not
 * rung stays NEW in MongoDB, where the workers' refills and the reconciler find it.
 */
export class RunBell {
  private pending: Accepted[] = [];
  private flying = false;

  constructor(
    private readonly window: RunWindow,
    private readonly doorbell: Doorbell,
    private readonly options: RunBellOptions,
  ) {}

  /** @param askedAtMs monotonic time from before the insert */
  ring(job: PlayJob, askedAtMs: number): void {
    this.pending.push({ job, askedAtMs });
    if (!this.flying && this.pending.length === 1) setImmediate(() => void this.flush());
  }

  private async flush(): Promise<void> {
    if (this.flying || this.pending.length === 0) return;
    this.flying = true;
    const batch = this.pending;
    this.pending = [];
    try {
      await this.ringAll(batch);
    } catch (cause) {
      this.options.onSilent(batch.length, cause);
    } finally {
      this.flying = false;
      if (this.pending.length > 0) setImmediate(() => void this.flush());
    }
  }

  private async ringAll(batch: readonly Accepted[]): Promise<void> {
    const byCompany = new Map<string, PlayJob[]>();
    let askedAtMs = Number.POSITIVE_INFINITY;
    for (const one of batch) {
      askedAtMs = Math.min(askedAtMs, one.askedAtMs);
      const jobs = byCompany.get(one.job.companyId);
      if (jobs) jobs.push(one.job);
      else byCompany.set(one.job.companyId, [one.job]);
    }
    const groups = new Map<string, string[]>();
    for (const [companyId, jobs] of byCompany) {
      jobs.sort((a, b) => (a.playId < b.playId ? -1 : 1));
      groups.set(
        companyId,
        jobs.map((job) => job.playId),
      );
    }
    const admissions = await this.window.admit(this.options.windowSize(), groups);
    const admitted: PlayJob[] = [];
    for (const [companyId, jobs] of byCompany) {
      const { admitted: count, waiting } = admissions.get(companyId) ?? { admitted: 0, waiting: 0 };
      admitted.push(...jobs.slice(0, count));
      this.options.onWaiting(companyId, waiting);
    }
    await this.doorbell.ring(admitted, askedAtMs);
  }
}
