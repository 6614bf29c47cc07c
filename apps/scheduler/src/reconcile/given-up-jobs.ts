import { playsOfJob } from '@weft/contracts';
import { reissueWrite } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/store';
import type { QueueInspector } from '@weft/queue';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';
import { isUnowned } from './unowned.js';

export interface GivenUpJobsDeps {
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly queue: Pick<QueueInspector, 'failed'>;
  readonly writes: HealingWrites;
}

/** Rings again for plays whose jobs the queue gave up. */
export class GivenUpJobs implements HealingLoop {
  readonly name = 'given-up jobs';

  constructor(private readonly deps: GivenUpJobsDeps) {}

  async pass(): Promise<void> {
    const failed = await this.deps.queue.failed(PAGE);
    if (failed.length === 0) return;
    const readAtMs = performance.now();
    const epochs = new Map(failed.flatMap(({ data }) => playsOfJob(data)).map(({ playId, epoch }) => [playId, epoch]));
    const open = await this.deps.plays.byIds([...epochs.keys()]);
    const same = open.filter((play) => play.epoch === epochs.get(play._id) && isUnowned(play));
    await this.deps.writes.write(
      'give_up',
      same.map((play) => ({ play, write: reissueWrite(play) })),
      readAtMs,
    );
    const { resting } = this.deps.writes;
    const done = failed.filter(({ data }) => !playsOfJob(data).some(({ playId }) => resting.isResting(playId)));
    await Promise.allSettled(done.map((job) => job.remove()));
  }
}
