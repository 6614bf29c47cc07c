import type { LiveWorkers, WindowSizeOf } from '@weft/queue';
import type { CompanyLimits } from './company-limits.js';

/** How many plays of each company are rung for at a time, by the workers that execute its plays. */
export class WindowSizes {
  constructor(
    private readonly workers: Pick<LiveWorkers, 'windowSize' | 'onceKnown'>,
    private readonly limits: Pick<CompanyLimits, 'lastKnown'>,
  ) {}

  readonly of: WindowSizeOf = (companyId) => this.workers.windowSize(this.limits.lastKnown(companyId).workerLabel);

  /** A promise until Redis has said which workers there are. */
  onceKnown(): WindowSizeOf | Promise<WindowSizeOf> {
    const known = this.workers.onceKnown();
    return known instanceof Promise ? known.then(() => this.of) : this.of;
  }
}
