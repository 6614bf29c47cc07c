import { setTimeout as sleep } from 'node:timers/promises';
import { raiseWrite, type OpenPlay, type ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';
import type { QueueInspector } from '@weft/queue';
import { BeatWalk } from './beat-walk.js';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import { isUnowned } from './unowned.js';
import type { WindowKeeper } from './window-keeper.js';

export interface LostRingsDeps {
  readonly plays: OpenPlaysRepository;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly windows: WindowKeeper;
  readonly writes: HealingWrites;
  readonly times: Pick<ProtocolTimes, 'unownedMs' | 'gapMs'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Looks for plays that nobody owns and nobody was rung for, and rings for them under a new epoch. */
export class LostRings implements HealingLoop {
  readonly name = 'lost rings';
  private readonly walk: BeatWalk;
  private suspects: readonly OpenPlay[] = [];

  constructor(private readonly deps: LostRingsDeps) {
    this.walk = new BeatWalk(deps.plays);
  }

  /** All plays are looked at again. */
  forgetSeen(): void {
    this.walk.forget();
  }

  /** These are looked for in the next pass, wherever the walk is. */
  suspect(plays: readonly OpenPlay[]): void {
    this.suspects = plays;
  }

  async pass(): Promise<void> {
    const { suspects } = this;
    this.suspects = [];
    await this.raiseLost(suspects);
    const until = this.silentSince();
    while (!this.deps.stopping.aborted) {
      const page = await this.walk.page(until);
      await this.raiseLost(await this.deps.windows.whoseTurnItIs(page.filter(isUnowned)));
      this.walk.seen(page);
      if (page.length < PAGE) return;
    }
  }

  private async raiseLost(plays: readonly OpenPlay[]): Promise<void> {
    const lost = await this.deps.queue.missing(plays.map(withJob));
    if (lost.length > 0) await this.lookAgain(lost.map(({ play }) => play));
  }

  /** Who nobody owns and who gave no sign of life since then is looked for in Redis. */
  silentSince(): Date {
    return new Date(this.deps.serverNow() - this.deps.times.unownedMs);
  }

  /** The second look, `GAP` later: a ring on its way has arrived by then, and an unclaimed worker's proof is stale. */
  private async lookAgain(firstLook: readonly OpenPlay[]): Promise<void> {
    const { times, stopping, plays, queue, windows, writes } = this.deps;
    await sleep(times.gapMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    const before = new Map(firstLook.map((play) => [play._id, play]));
    const readAtMs = performance.now();
    const now = await plays.byIds([...before.keys()]);
    const unchanged = now.filter((play) => {
      const was = before.get(play._id);
      return isUnowned(play) && play.epoch === was?.epoch && play.seq === was.seq;
    });
    const lost = (await queue.missing(unchanged.map(withJob))).map(({ play }) => play);
    const alone = await windows.beginAnew(lost);
    await writes.write(
      'raise',
      alone.map((play) => ({ play, write: raiseWrite(play) })),
      readAtMs,
    );
  }
}

function withJob(play: OpenPlay) {
  return { playId: play._id, epoch: play.epoch, play };
}
