import type { OpenPlay, ProtocolTimes } from '@weft/engine';
import { jobOf, type OpenPlaysRepository } from '@weft/store';
import type { QueueInspector } from '@weft/queue';
import { HeartbeatScan, type ReadSilent } from './heartbeat-scan.js';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { PlaysWithoutJobs } from './plays-without-jobs.js';
import { StoreWatch } from './store-watch.js';
import { isUnowned } from './unowned.js';

export interface LostRingsDeps {
  readonly plays: Pick<OpenPlaysRepository, 'silent'>;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly withoutJobs: PlaysWithoutJobs;
  readonly times: Pick<ProtocolTimes, 'renewMs' | 'unownedMs'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Every write that was under way while MongoDB was unreachable has been made by then, or given up. */
const LATE_WRITES_MS = 30_000;

/**
 * Walks the plays that have no owner and no recent heartbeat, and looks for their jobs. A play that should have a job and
 * has none is looked at again later by `SecondLooks`. Those that wait for room in their windows are not among them.
 */
export class LostRings implements HealingLoop {
  readonly name = 'lost rings';
  private readonly scan: HeartbeatScan;
  /** Redis may have lost a list of jobs and kept the jobs. This is checked whenever all plays are looked at. */
  private sureBy: 'record' | 'lists' = 'lists';
  private readonly store: StoreWatch;
  /** MongoDB has answered for as long as late writes take. */
  private isSteady = false;

  constructor(private readonly deps: LostRingsDeps) {
    const read: ReadSilent = (after, until) => deps.plays.silent(after, until, PAGE);
    this.scan = new HeartbeatScan(read, deps.times.unownedMs);
    this.store = new StoreWatch(deps.times.renewMs);
  }

  /** All plays are looked at again. */
  forgetSeen(): void {
    this.scan.forget();
    this.sureBy = 'lists';
  }

  async pass(): Promise<void> {
    try {
      await this.lookAtSilent();
    } catch (error) {
      this.store.failed();
      throw error;
    }
    this.followStore();
  }

  /** A write that waits for MongoDB has the time at which it was asked for, which the walk may have passed when it is made. */
  private followStore(): void {
    const nowMs = performance.now();
    this.store.answered(nowMs);
    const wasSteady = this.isSteady;
    this.isSteady = this.store.steadyForMs(nowMs) >= LATE_WRITES_MS;
    if (this.isSteady && !wasSteady) this.scan.forget();
  }

  private async lookAtSilent(): Promise<void> {
    const nowMs = this.deps.serverNow();
    while (!this.deps.stopping.aborted && !this.deps.withoutJobs.isFull) {
      if (!(await this.scan.next(nowMs, (page) => this.lookAt(page.filter(isUnowned))))) continue;
      this.sureBy = 'record';
      return;
    }
  }

  private async lookAt(plays: readonly OpenPlay[]): Promise<void> {
    if (plays.length === 0) return;
    const { queue, withoutJobs } = this.deps;
    const jobs = plays.map((play) => ({ ...jobOf(play), play }));
    const lost = await queue.missing(jobs, this.sureBy);
    const atMs = performance.now();
    for (const { play } of lost) withoutJobs.add(play, atMs);
  }
}
