import { reapWrite, type OpenPlay, type ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';
import { BeatWalk } from './beat-walk.js';
import type { HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import { StoreWatch } from './store-watch.js';

export interface DeadOwnersDeps {
  readonly plays: OpenPlaysRepository;
  readonly writes: HealingWrites;
  readonly times: Pick<ProtocolTimes, 'leaseMs' | 'renewMs'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Takes plays from owners whose lease has expired. */
export class DeadOwners implements HealingLoop {
  readonly name = 'dead owners';
  private readonly walk: BeatWalk;
  private readonly store: StoreWatch;
  /** Owned plays that were on hold when their lease expired: looked at until they are released or end. */
  private held: ReadonlySet<string> = new Set();

  constructor(private readonly deps: DeadOwnersDeps) {
    this.walk = new BeatWalk(deps.plays);
    this.store = new StoreWatch(deps.times.renewMs);
  }

  /** All owners are looked at again. */
  forgetSeen(): void {
    this.walk.forget();
  }

  async pass(): Promise<void> {
    try {
      await this.reapExpired();
    } catch (error) {
      this.store.failed();
      throw error;
    }
  }

  private async reapExpired(): Promise<void> {
    const { times, serverNow, plays, stopping } = this.deps;
    const until = new Date(serverNow() - times.leaseMs);
    const held = await plays.byIds([...this.held]);
    this.store.answered(performance.now());
    if (this.store.steadyForMs(performance.now()) < times.leaseMs + times.renewMs) return;
    const stillHeld = await this.reap(held.filter((play) => play.beatAt !== undefined && play.beatAt <= until));
    this.held = new Set(stillHeld);
    const reapPage = async (page: readonly OpenPlay[]) => {
      this.store.answered(performance.now());
      this.held = new Set([...this.held, ...(await this.reap(page))]);
    };
    while (!stopping.aborted) if (await this.walk.next(until, reapPage)) return;
  }

  /** @returns those that are on hold */
  private async reap(page: readonly OpenPlay[]): Promise<readonly string[]> {
    const readAtMs = performance.now();
    const now = new Date(this.deps.serverNow());
    const owned = page.filter((play) => play.owner !== undefined);
    await this.deps.writes.write(
      'reap',
      owned.filter(({ state }) => state === 'RUN').map((play) => ({ play, write: reapWrite(play, now) })),
      readAtMs,
    );
    return owned.filter(({ state }) => state === 'ON_HOLD').map(({ _id }) => _id);
  }
}
