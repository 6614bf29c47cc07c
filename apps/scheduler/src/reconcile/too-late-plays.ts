import { tooLateWrite } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/store';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface TooLatePlaysDeps {
  readonly plays: Pick<OpenPlaysRepository, 'tooLate'>;
  readonly writes: HealingWrites;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Ends plays that had to begin by now (`notAfter`), wherever they wait. A worker that takes one of them first does the same. */
export class TooLatePlays implements HealingLoop {
  readonly name = 'too late';

  constructor(private readonly deps: TooLatePlaysDeps) {}

  async pass(): Promise<void> {
    const { plays, writes, serverNow, stopping } = this.deps;
    while (!stopping.aborted) {
      const readAtMs = performance.now();
      const now = new Date(serverNow());
      const late = await plays.tooLate(now, PAGE, writes.resting.ids());
      const changes = late.flatMap((play) => {
        const write = tooLateWrite(play, now);
        return write ? [{ play, write }] : [];
      });
      const ended = await writes.write('too_late', changes, readAtMs);
      if (late.length < PAGE || ended.size === 0) return;
    }
  }
}
