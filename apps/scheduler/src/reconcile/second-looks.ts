import { reissueWrite, waitWrite, type OpenPlay, type ProtocolTimes } from '@weft/engine';
import { jobOf, type OpenPlaysRepository } from '@weft/store';
import type { AdmissionWindow, QueueInspector } from '@weft/queue';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import type { PlaysWithoutJobs } from './plays-without-jobs.js';
import { isUnowned } from './unowned.js';

export interface SecondLooksDeps {
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly queue: Pick<QueueInspector, 'missing'>;
  readonly window: Pick<AdmissionWindow, 'finish'>;
  readonly withoutJobs: PlaysWithoutJobs;
  readonly writes: HealingWrites;
  readonly times: Pick<ProtocolTimes, 'gapMs'>;
  readonly stopping: AbortSignal;
}

/**
 * The second look at plays that were found without a job, `GAP` after the first by this process's own clock: by then, a ring
 * on its way has arrived or was given up, and the proof of an unclaimed worker is stale. Plays that are unchanged get a new
 * epoch. A NEW one waits for room in its window again; any other one has its place, and is rung for.
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
    const { window, withoutJobs, writes } = this.deps;
    const lost = await this.stillLost(found);
    const fresh = lost.filter(({ state }) => state === 'NEW');
    const places = Map.groupBy(fresh, ({ company_id }) => company_id);
    await window.finish(new Map([...places].map(([companyId, of]) => [companyId, of.map(({ _id }) => _id)])));
    const changes = lost.map((play) => ({ play, write: play.state === 'NEW' ? waitWrite(play) : reissueWrite(play) }));
    await writes.write('raise', changes, readAtMs);
    withoutJobs.remove(found);
    for (const play of lost) if (writes.resting.isResting(play._id)) withoutJobs.add(play, performance.now());
  }

  private async stillLost(found: readonly OpenPlay[]): Promise<OpenPlay[]> {
    const before = new Map(found.map((play) => [play._id, play]));
    const now = await this.deps.plays.byIds([...before.keys()]);
    const unchanged = now.filter((play) => {
      const was = before.get(play._id);
      return isUnowned(play) && play.epoch === was?.epoch && play.seq === was.seq;
    });
    const jobs = unchanged.map((play) => ({ ...jobOf(play), play }));
    return (await this.deps.queue.missing(jobs, 'lists')).map(({ play }) => play);
  }
}
