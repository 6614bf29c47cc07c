import { timeLimitWrite } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/store';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface TimeLimitsDeps {
  readonly plays: Pick<OpenPlaysRepository, 'outOfTime'>;
  readonly writes: HealingWrites;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Ends open plays that took longer than their flow allows. */
export class TimeLimits implements HealingLoop {
  readonly name = 'time limits';

  constructor(private readonly deps: TimeLimitsDeps) {}

  async pass(): Promise<void> {
    const { plays, writes, serverNow, stopping } = this.deps;
    while (!stopping.aborted) {
      const readAtMs = performance.now();
      const now = new Date(serverNow());
      const late = await plays.outOfTime(now, PAGE, writes.resting.ids());
      const ended = await writes.write(
        'time_limit',
        late.map((play) => ({ play, write: timeLimitWrite(play, now) })),
        readAtMs,
      );
      if (late.length < PAGE || ended.size === 0) return;
    }
  }
}
