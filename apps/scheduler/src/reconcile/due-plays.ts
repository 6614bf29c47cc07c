import { dueWrite } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';
import { PAGE, type HealingLoop } from './healing-loop.js';
import type { HealingWrites } from './healing-writes.js';

export interface DuePlaysDeps {
  readonly plays: Pick<OpenPlaysRepository, 'due'>;
  readonly writes: HealingWrites;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: AbortSignal;
}

/** Has plays go on whose time has come: delayed ones, and those that waited for something up to a time. */
export class DuePlays implements HealingLoop {
  readonly name = 'due plays';

  constructor(private readonly deps: DuePlaysDeps) {}

  async pass(): Promise<void> {
    const { plays, writes, serverNow, stopping } = this.deps;
    while (!stopping.aborted) {
      const readAtMs = performance.now();
      const now = new Date(serverNow());
      const due = await plays.due(now, PAGE, writes.resting.ids());
      const written = await writes.write(
        'due',
        due.map((play) => ({ play, write: dueWrite(play, now) })),
        readAtMs,
      );
      if (due.length < PAGE || written.size === 0) return;
    }
  }
}
