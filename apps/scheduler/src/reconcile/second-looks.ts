import { reissueWrite, type OpenPlay, type ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';
import type { QueueInspector } from '@weft/queue';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import type { PlaysWithoutJobs } from './plays-without-jobs.js';
import { isUnowned } from './unowned.js';
import type { WindowKeeper } from './window-keeper.js';

export interface SecondLooksDeps {
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly windows: Pick<WindowKeeper, 'look' | 'occupy' | 'beginAnew'>;
  readonly withoutJobs: PlaysWithoutJobs;
  readonly writes: HealingWrites;
  readonly times: Pick<ProtocolTimes, 'gapMs'>;
  readonly count: (action: string, count: number) => void;
  /** Plays were left out because their window was expected to be rebuilt, and it was not. */
  readonly forgetSeen: () => void;
  readonly stopping: AbortSignal;
}

/**
 * The second look at plays that were found without a job, `GAP` after the first by this process's own clock: by then, a ring
 * on its way has arrived or was given up, and the proof of an unclaimed worker is stale. Plays that are unchanged are rung
 * for under a new epoch: by their window, when it does not know them and is rebuilt, or one by one outside of it. A play
 * that its window took up between the looks may have been rung for just now; it is kept for another second look.
 */
export class SecondLooks implements HealingLoop {
  readonly name = 'second looks';

  constructor(private readonly deps: SecondLooksDeps) {}

  async pass(): Promise<void> {
    while (!this.deps.stopping.aborted) {
      const readAtMs = performance.now();
      const found = this.deps.withoutJobs.foundBefore(readAtMs - this.deps.times.gapMs, PAGE);
      if (found.length === 0) return;
      await this.lookAt(found, readAtMs);
    }
  }

  private async lookAt(found: readonly OpenPlay[], readAtMs: number): Promise<void> {
    const { windows, withoutJobs, writes, count } = this.deps;
    const lost = await this.stillLost(found);
    const standings = await windows.look(lost);
    const rung = lost.filter((play) => standings.standingOf(play) === 'rung');
    const { takenUp = [], alone = [] } = Object.groupBy(rung, ({ _id }) =>
      withoutJobs.isUnknown(_id) ? 'takenUp' : 'alone',
    );
    const unknown = lost.filter((play) => standings.standingOf(play) === 'unknown');
    await windows.occupy(alone);
    await writes.write(
      'raise',
      alone.map((play) => ({ play, write: reissueWrite(play) })),
      readAtMs,
    );
    await windows.beginAnew(unknown);
    const begun = new Set(unknown.map(({ company_id }) => company_id));
    if (begun.size > 0) count('begin_window', begun.size);
    const isBegun = (companyId: string) => begun.has(companyId) || (standings.viewOf(companyId)?.waiting ?? 0) > 0;
    const isPassedOver = found.some(
      ({ company_id }) => withoutJobs.unknownOf(company_id)?.isCut && !isBegun(company_id),
    );
    withoutJobs.remove(found);
    for (const play of alone) if (writes.resting.isResting(play._id)) withoutJobs.add(play, false, performance.now());
    for (const play of takenUp) withoutJobs.add(play, false, performance.now());
    if (isPassedOver) this.deps.forgetSeen();
  }

  private async stillLost(found: readonly OpenPlay[]): Promise<OpenPlay[]> {
    const before = new Map(found.map((play) => [play._id, play]));
    const now = await this.deps.plays.byIds([...before.keys()]);
    const unchanged = now.filter((play) => {
      const was = before.get(play._id);
      return isUnowned(play) && play.epoch === was?.epoch && play.seq === was.seq;
    });
    const jobs = unchanged.map((play) => ({ playId: play._id, epoch: play.epoch, play }));
    return (await this.deps.queue.missing(jobs, 'lists')).map(({ play }) => play);
  }
}
