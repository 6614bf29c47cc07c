import type { OwnedPlay, PlayStore } from '@weft/engine';
import { WORK_CONTEXT } from '@weft/observability';

/** A claimed play that this process executes. */
export interface LeasedRun {
  readonly owned: OwnedPlay;
  /** The store acknowledged a sign of life that was sent at this monotonic time. */
  renewed(sentAtMs: number): void;
  /** The store does not know this process as the owner any more. */
  lost(): void;
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
    // for all of them: not in the context of the play that came first
    this.timer ??= WORK_CONTEXT.exit(() => setInterval(() => void this.renew([...this.runs]), this.renewMs));
  }

  release(run: LeasedRun): void {
    this.runs.delete(run);
    if (this.runs.size > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Renews these at once. While MongoDB is away nothing is renewed, and no effect starts on an old proof. */
  async renew(runs: readonly LeasedRun[]): Promise<void> {
    const sentAtMs = performance.now();
    try {
      const lost = new Set(await this.store.renew(runs.map((run) => run.owned)));
      for (const run of runs) {
        if (lost.has(run.owned)) run.lost();
        else run.renewed(sentAtMs);
      }
    } catch (error) {
      this.onError(error);
    }
  }
}
