import { raiseWrite, type OpenPlay, type ProtocolTimes } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';
import type { QueueInspector } from '@weft/queue';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import type { Suspects } from './suspects.js';
import { isUnowned } from './unowned.js';
import type { WindowKeeper } from './window-keeper.js';

export interface SecondLooksDeps {
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly windows: Pick<WindowKeeper, 'look' | 'occupy' | 'beginAnew'>;
  readonly suspects: Suspects;
  readonly writes: HealingWrites;
  readonly times: Pick<ProtocolTimes, 'gapMs'>;
  readonly count: (action: string, count: number) => void;
  /** Plays were passed over for a window that did not begin anew after all. */
  readonly forgetSeen: () => void;
  readonly stopping: AbortSignal;
}

/**
 * The second look at plays that were found without a job, `GAP` later: by this process's own clock, a ring on its way has
 * arrived or is given up by then, and an unclaimed worker's proof is stale. Those that are as they were are rung for under
 * a new epoch: by their window, when it does not know of them and begins anew, or one by one beside it. One that its
 * window took up between the looks may be rung for just so, and is a suspect anew.
 */
export class SecondLooks implements HealingLoop {
  readonly name = 'second looks';
  /** Asks nobody anything while there are no suspects. */
  readonly everyMs = 250;

  constructor(private readonly deps: SecondLooksDeps) {}

  async pass(): Promise<void> {
    while (!this.deps.stopping.aborted) {
      const readAtMs = performance.now();
      const found = this.deps.suspects.foundBefore(readAtMs - this.deps.times.gapMs, PAGE);
      if (found.length === 0) return;
      await this.lookAt(found, readAtMs);
    }
  }

  private async lookAt(found: readonly OpenPlay[], readAtMs: number): Promise<void> {
    const { windows, suspects, writes, count } = this.deps;
    const lost = await this.stillLost(found);
    const standings = await windows.look(lost);
    const rung = lost.filter((play) => standings.standingOf(play) === 'rung');
    const { takenUp = [], alone = [] } = Object.groupBy(rung, ({ _id }) =>
      suspects.isUnknown(_id) ? 'takenUp' : 'alone',
    );
    const unknown = lost.filter((play) => standings.standingOf(play) === 'unknown');
    await windows.occupy(alone);
    await writes.write(
      'raise',
      alone.map((play) => ({ play, write: raiseWrite(play) })),
      readAtMs,
    );
    await windows.beginAnew(unknown);
    const begun = new Set(unknown.map(({ company_id }) => company_id));
    if (begun.size > 0) count('begin_window', begun.size);
    const isBegun = (companyId: string) => begun.has(companyId) || (standings.viewOf(companyId)?.waiting ?? 0) > 0;
    const isPassedOver = found.some(({ company_id }) => suspects.unknownOf(company_id)?.isCut && !isBegun(company_id));
    suspects.remove(found);
    for (const play of alone) if (writes.resting.isResting(play._id)) suspects.add(play, false, performance.now());
    for (const play of takenUp) suspects.add(play, false, performance.now());
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
