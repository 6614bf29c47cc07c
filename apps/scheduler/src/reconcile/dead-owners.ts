import { Sightings, isOwnerDead, reapWrite, watchAfterMs, type OpenPlay, type ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/store';
import { HeartbeatScan } from './heartbeat-scan.js';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import { StoreWatch } from './store-watch.js';

export interface DeadOwnersDeps {
  readonly plays: Pick<OpenPlaysRepository, 'silentOwned' | 'byIds'>;
  readonly writes: HealingWrites;
  readonly times: Pick<ProtocolTimes, 'leaseMs' | 'renewMs'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/**
 * Takes plays from owners that this process has watched for the time of a lease without a heartbeat, by its own monotonic
 * clock. MongoDB's clock only selects the owners to watch. Plays on hold are watched until they are released or end.
 */
export class DeadOwners implements HealingLoop {
  readonly name = 'dead owners';
  private readonly scan: HeartbeatScan;
  private readonly store: StoreWatch;
  private readonly sightings = new Sightings();

  constructor(private readonly deps: DeadOwnersDeps) {
    this.scan = new HeartbeatScan((after, until) => deps.plays.silentOwned(after, until), watchAfterMs(deps.times));
    const { renewMs } = deps.times;
    this.store = new StoreWatch(renewMs);
  }

  /** All owners are looked at again; what was observed of them stays valid. */
  forgetSeen(): void {
    this.scan.forget();
  }

  async pass(): Promise<void> {
    try {
      await this.watchSilent();
      await this.reapDead();
    } catch (error) {
      this.store.failed();
      throw error;
    }
  }

  private async watchSilent(): Promise<void> {
    const { serverNow, stopping } = this.deps;
    const nowMs = serverNow();
    const see = async (page: readonly OpenPlay[]) => this.see(page);
    while (!stopping.aborted) if (await this.scan.next(nowMs, see)) return;
  }

  private see(page: readonly OpenPlay[]): void {
    const nowMs = performance.now();
    this.store.answered(nowMs);
    for (const play of page) this.sightings.observe(play, nowMs);
  }

  private async reapDead(): Promise<void> {
    const { leaseMs, renewMs } = this.deps.times;
    // after an outage of MongoDB the owners renew first
    if (this.store.steadyForMs(performance.now()) < leaseMs + renewMs) return;
    const ids = this.sightings.silentSince(performance.now() - leaseMs);
    for (let at = 0; at < ids.length && !this.deps.stopping.aborted; at += PAGE)
      await this.reap(ids.slice(at, at + PAGE));
  }

  /** Reads the plays again that were watched for long enough: a play with a heartbeat since then is watched anew. */
  private async reap(ids: readonly string[]): Promise<void> {
    const { plays, times, writes, serverNow } = this.deps;
    const readAtMs = performance.now();
    const found = await plays.byIds(ids);
    const serverMs = serverNow();
    const dead = found.filter(
      (play) =>
        play.state === 'RUN' &&
        isOwnerDead(play, this.sightings.sinceMs(play), { monotonicMs: readAtMs, serverMs }, times),
    );
    const there = new Set(found.map(({ _id }) => _id));
    for (const id of ids) if (!there.has(id)) this.sightings.forget(id);
    this.see(found);
    const at = new Date(serverMs);
    const written = await writes.write(
      'reap',
      dead.map((play) => ({ play, write: reapWrite(play, at) })),
      readAtMs,
    );
    for (const id of written) this.sightings.forget(id);
  }
}
