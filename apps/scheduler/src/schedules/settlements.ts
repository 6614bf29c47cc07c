import type { ScheduleDocument, ScheduleFiringRepository, Settlement } from '@weft/records';

type Revision = Pick<ScheduleDocument, '_id' | 'rev'>;

/** Slots that are written together: with many missed slots, some are written while the next are still being made. */
const AT_ONCE = 200;

/** The results of the slots of many schedules, and when these schedules are looked at next: written together. */
export class Settlements {
  private settled: Settlement[] = [];
  private readonly left: { readonly of: Revision; readonly attendAt: Date | null }[] = [];

  constructor(private readonly schedules: Pick<ScheduleFiringRepository, 'settleAll' | 'leave'>) {}

  async add(settlement: Settlement): Promise<void> {
    this.settled.push(settlement);
    if (this.settled.length >= AT_ONCE) await this.settle();
  }

  /** @param of the revision that the schedule has once all of its settlements are written */
  leave(of: Revision, attendAt: Date | null): void {
    this.left.push({ of, attendAt });
  }

  async flush(): Promise<void> {
    await this.settle();
    await Promise.all(this.left.splice(0).map(({ of, attendAt }) => this.schedules.leave(of, attendAt)));
  }

  private async settle(): Promise<void> {
    const settled = this.settled;
    this.settled = [];
    await this.schedules.settleAll(settled);
  }
}
