import { MicroBatcher } from '@weft/concurrency';
import type { AdmissionWindow, WindowRefiller } from '@weft/queue';

/** At a half, the queue would run empty during a refill: the workers hold half a window. */
const REFILL_BELOW = 3 / 4;

interface Finished {
  readonly companyId: string;
  readonly playId: string;
}

/**
 * Removes plays whose job ended from their company's window, many in one round trip, and has the window refilled where it
 * has much room. While Redis is unreachable nothing is removed: the reconciler repairs the window.
 */
export class FinishedPlays {
  private readonly finished: MicroBatcher<Finished>;
  private readonly refills = new Set<Promise<void>>();

  constructor(
    private readonly window: AdmissionWindow,
    private readonly refiller: WindowRefiller,
    private readonly windowSize: () => number,
    private readonly onError: (error: unknown) => void,
  ) {
    this.finished = new MicroBatcher({ flush: (batch) => this.takeOut(batch), onError });
  }

  add(companyId: string, playId: string): void {
    this.finished.add({ companyId, playId });
  }

  /** Resolves when all plays are removed, and those that took their room are rung for. */
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
