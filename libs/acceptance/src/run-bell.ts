import type { PlayJob } from '@weft/contracts';
import type { Doorbell, Prioritized, RunWindow } from '@weft/queue';

interface Accepted {
  readonly job: PlayJob;
  readonly priority: number;
  readonly askedAtMs: number;
}

export interface RunBellOptions {
  readonly windowSize: () => number | Promise<number>;
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
  ring(job: PlayJob, priority: number, askedAtMs: number): void {
    this.pending.push({ job, priority, askedAtMs });
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
    const byCompany = new Map<string, Accepted[]>();
    let askedAtMs = Number.POSITIVE_INFINITY;
    for (const one of batch) {
      askedAtMs = Math.min(askedAtMs, one.askedAtMs);
      const accepted = byCompany.get(one.job.companyId);
      if (accepted) accepted.push(one);
      else byCompany.set(one.job.companyId, [one]);
    }
    const groups = new Map<string, string[]>();
    const prioritized = new Map<string, Prioritized>();
    for (const [companyId, accepted] of byCompany) {
      accepted.sort(byTurn);
      groups.set(
        companyId,
        accepted.map(({ job }) => job.playId),
      );
      const above = accepted.filter(({ priority }) => priority > 0).length;
      const below = accepted.filter(({ priority }) => priority < 0).length;
      if (above + below > 0) prioritized.set(companyId, { above, below });
    }
    const admissions = await this.window.admit(await this.options.windowSize(), groups, prioritized);
    const admitted: PlayJob[] = [];
    for (const [companyId, accepted] of byCompany) {
      const { admitted: count, waiting } = admissions.get(companyId) ?? { admitted: 0, waiting: 0 };
      for (const { job } of accepted.slice(0, count)) admitted.push(job);
      this.options.onWaiting(companyId, waiting);
    }
    await this.doorbell.ring(admitted, askedAtMs);
  }
}

function byTurn(a: Accepted, b: Accepted): number {
  return b.priority - a.priority || (a.job.playId < b.job.playId ? -1 : 1);
}
