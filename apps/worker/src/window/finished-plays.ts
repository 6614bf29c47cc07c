import { Gathered } from '@weft/kernel';
import type { RunWindow, WindowRefiller } from '@weft/queue';

/** At half, the queue would be dry while the refill is on its way: half a window is what the workers hold. */
const REFILL_BELOW = 3 / 4;

interface Finished {
  readonly companyId: string;
  readonly playId: string;
}

/**
 * Takes plays whose job ended out of their company's window, many in one round trip, and has the window refilled where it
 * has room for a good many. While Redis is away nothing is taken out: the reconciler sets it right.
 */
export class FinishedPlays {
  private readonly finished: Gathered<Finished>;
  private readonly refills = new Set<Promise<void>>();

  constructor(
    private readonly window: RunWindow,
    private readonly refiller: WindowRefiller,
    private readonly windowSize: () => number,
    private readonly onError: (error: unknown) => void,
  ) {
    this.finished = new Gathered({ flush: (batch) => this.takeOut(batch), onError });
  }

  add(companyId: string, playId: string): void {
    this.finished.add({ companyId, playId });
  }

  /** Resolves when all are taken out, and those that came in for them are rung. */
  async settled(): Promise<void> {
    await this.finished.settled();
    await Promise.all(this.refills);
  }

  private async takeOut(batch: readonly Finished[]): Promise<void> {
    const byCompany = Map.groupBy(batch, ({ companyId }) => companyId);
    const ids = new Map([...byCompany].map(([companyId, plays]) => [companyId, plays.map(({ playId }) => playId)]));
    const enough = this.windowSize() * REFILL_BELOW;
    for (const [companyId, { rung, waiting }] of await this.window.finish(ids)) {
      if (waiting > 0 && rung < enough) this.refill(companyId);
    }
  }

  private refill(companyId: string): void {
    const refill = this.refiller.refill(companyId).catch(this.onError);
    this.refills.add(refill);
    void refill.then(() => this.refills.delete(refill));
  }
}
