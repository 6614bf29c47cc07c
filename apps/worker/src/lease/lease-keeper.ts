import type { OwnedPlay, PlayStore } from '@weft/engine';
import { WORK_CONTEXT } from '@weft/observability';

/** A claimed play that this process executes. */
export interface LeasedRun {
  readonly owned: OwnedPlay;
  /** The store acknowledged a heartbeat that was sent at this monotonic time. */
  onRenewed(sentAtMs: number): void;
  /** According to the store, this process is no longer the owner. */
  onLeaseLost(): void;
}

/** Renews the leases of all claimed plays of this process, in one command. */
export class LeaseKeeper {
  private readonly runs = new Set<LeasedRun>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly store: PlayStore,
    private readonly renewMs: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  keep(run: LeasedRun): void {
    this.runs.add(run);
    // the timer is for all plays: not in the context of the one that came first
    this.timer ??= WORK_CONTEXT.exit(() => setInterval(() => void this.renew([...this.runs]), this.renewMs));
  }

  release(run: LeasedRun): void {
    this.runs.delete(run);
    if (this.runs.size > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Renews these leases now. While MongoDB is unreachable nothing is renewed, and no effect starts on an old proof. */
  async renew(runs: readonly LeasedRun[]): Promise<void> {
    const sentAtMs = performance.now();
    try {
      const lost = new Set(await this.store.renew(runs.map((run) => run.owned)));
      for (const run of runs) {
        if (lost.has(run.owned)) run.onLeaseLost();
        else run.onRenewed(sentAtMs);
      }
    } catch (error) {
      this.onError(error);
    }
  }
}
