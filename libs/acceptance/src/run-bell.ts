import type { PlayJob } from '@weft/contracts';
import { Gathered } from '@weft/kernel';
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

const NO_ROOM = 0;

/**
 * Rings for accepted plays, many at a time, beside the answers: those that their company's window has room for. What is not
 * rung stays NEW in MongoDB, where the workers' refills and the reconciler find it.
 */
export class RunBell {
  private readonly accepted: Gathered<Accepted>;

  constructor(
    private readonly window: RunWindow,
    private readonly doorbell: Doorbell,
    private readonly options: RunBellOptions,
  ) {
    this.accepted = new Gathered({
      flush: (batch) => this.ringAll(batch),
      onError: (cause, batch) => options.onSilent(batch.length, cause),
    });
  }

  /** @param askedAtMs monotonic time from before the insert */
  ring(job: PlayJob, priority: number, askedAtMs: number): void {
    this.accepted.add({ job, priority, askedAtMs });
  }

  /** Resolves when all that was to be rung is rung, or left to the reconciler. */
  settled(): Promise<void> {
    return this.accepted.settled();
  }

  private async ringAll(batch: readonly Accepted[]): Promise<void> {
    // The ring of a play whose insert took so long would be dropped: it would hold a place in its window and never run. It
    // waits behind the window, and the next refill rings for it.
    const { late = [], inTime = [] } = Object.groupBy(batch, ({ askedAtMs }) =>
      this.doorbell.isTooLate(askedAtMs) ? 'late' : 'inTime',
    );
    if (late.length > 0) await this.admit(late, NO_ROOM);
    if (inTime.length === 0) return;
    const admitted = await this.admit(inTime, await this.options.windowSize());
    await this.doorbell.ring(admitted, Math.min(...inTime.map(({ askedAtMs }) => askedAtMs)));
  }

  /** @returns the jobs to ring for */
  private async admit(batch: readonly Accepted[], windowSize: number): Promise<PlayJob[]> {
    const byCompany = Map.groupBy(batch, ({ job }) => job.companyId);
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
    const admissions = await this.window.admit(windowSize, groups, prioritized);
    const admitted: PlayJob[] = [];
    for (const [companyId, accepted] of byCompany) {
      const admission = admissions.get(companyId);
      if (!admission) {
        this.options.onSilent(accepted.length, new Error(`Redis failed for the window of company ${companyId}`));
        continue;
      }
      for (const { job } of accepted.slice(0, admission.admitted)) admitted.push(job);
      this.options.onWaiting(companyId, admission.waiting);
    }
    return admitted;
  }
}

function byTurn(a: Accepted, b: Accepted): number {
  return b.priority - a.priority || (a.job.playId < b.job.playId ? -1 : 1);
}
