import { MicroBatcher } from '@weft/concurrency';
import type { PlayJob } from '@weft/contracts';
import type { Doorbell, Prioritized, AdmissionWindow } from '@weft/queue';

interface AcceptedPlay {
  readonly job: PlayJob;
  readonly priority: number;
  readonly askedAtMs: number;
}

export interface AdmissionDispatcherOptions {
  readonly windowSize: () => number | Promise<number>;
  readonly onWaiting: (companyId: string, waiting: number) => void;
  /** Plays were accepted and no doorbell was rung for them: Redis is unreachable. */
  readonly onNotRung: (count: number, cause: unknown) => void;
}

const NO_ROOM = 0;

/**
 * Admits accepted plays to their company's window and rings the doorbell for them, in batches and after the caller was
 * answered. Plays for which the window has no room stay NEW in MongoDB, where the workers' refills and the reconciler find them.
 */
export class AdmissionDispatcher {
  private readonly batches: MicroBatcher<AcceptedPlay>;

  constructor(
    private readonly window: AdmissionWindow,
    private readonly doorbell: Doorbell,
    private readonly options: AdmissionDispatcherOptions,
  ) {
    this.batches = new MicroBatcher({
      flush: (batch) => this.admitAndRing(batch),
      onError: (cause, batch) => options.onNotRung(batch.length, cause),
    });
  }

  /** @param askedAtMs monotonic time before the insert */
  dispatch(job: PlayJob, priority: number, askedAtMs: number): void {
    this.batches.add({ job, priority, askedAtMs });
  }

  /** Resolves when every dispatched play was rung for, or left to the reconciler. */
  settled(): Promise<void> {
    return this.batches.settled();
  }

  private async admitAndRing(batch: readonly AcceptedPlay[]): Promise<void> {
    // The doorbell drops a ring whose insert took too long: the play would take up room in its window and never run. So it
    // is not admitted, and the next refill rings for it.
    const { late = [], inTime = [] } = Object.groupBy(batch, ({ askedAtMs }) =>
      this.doorbell.isTooLate(askedAtMs) ? 'late' : 'inTime',
    );
    if (late.length > 0) await this.admit(late, NO_ROOM);
    if (inTime.length === 0) return;
    await this.doorbell.ringEach(await this.admit(inTime, await this.options.windowSize()));
  }

  /** @returns those to ring for */
  private async admit(batch: readonly AcceptedPlay[], windowSize: number): Promise<AcceptedPlay[]> {
    const byCompany = Map.groupBy(batch, ({ job }) => job.companyId);
    const groups = new Map<string, string[]>();
    const prioritized = new Map<string, Prioritized>();
    for (const [companyId, accepted] of byCompany) {
      accepted.sort(byPriorityThenAge);
      groups.set(
        companyId,
        accepted.map(({ job }) => job.playId),
      );
      const above = accepted.filter(({ priority }) => priority > 0).length;
      const below = accepted.filter(({ priority }) => priority < 0).length;
      if (above + below > 0) prioritized.set(companyId, { above, below });
    }
    const admissions = await this.window.admit(windowSize, groups, prioritized);
    const admitted: AcceptedPlay[] = [];
    for (const [companyId, accepted] of byCompany) {
      const admission = admissions.get(companyId);
      if (!admission) {
        this.options.onNotRung(accepted.length, new Error(`Redis failed for the window of company ${companyId}`));
        continue;
      }
      const own = accepted.filter(({ job }) => !admission.known.has(job.playId));
      admitted.push(...own.slice(0, admission.admitted));
      this.options.onWaiting(companyId, admission.waiting);
    }
    return admitted;
  }
}

function byPriorityThenAge(a: AcceptedPlay, b: AcceptedPlay): number {
  return b.priority - a.priority || (a.job.playId < b.job.playId ? -1 : 1);
}
