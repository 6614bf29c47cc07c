import { MicroBatcher } from '@weft/concurrency';
import { isRefillDue, type AdmissionWindow, type WindowRefiller, type WindowSizeOf } from '@weft/queue';

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

  constructor(
    private readonly window: Pick<AdmissionWindow, 'finish'>,
    private readonly refiller: Pick<WindowRefiller, 'refillSoon' | 'settled'>,
    private readonly windowSize: WindowSizeOf,
    onError: (error: unknown) => void,
  ) {
    this.finished = new MicroBatcher({ flush: (batch) => this.takeOut(batch), onError: (error) => onError(error) });
  }

  add(companyId: string, playId: string): void {
    this.finished.add({ companyId, playId });
  }

  /** Resolves when all plays are removed, and those that took their room are rung for. */
  async settled(): Promise<void> {
    await this.finished.settled();
    await this.refiller.settled();
  }

  private async takeOut(batch: readonly Finished[]): Promise<void> {
    const byCompany = Map.groupBy(batch, ({ companyId }) => companyId);
    const ids = new Map([...byCompany].map(([companyId, plays]) => [companyId, plays.map(({ playId }) => playId)]));
    for (const [companyId, fill] of await this.window.finish(ids))
      if (fill.waits && isRefillDue(fill, this.windowSize(companyId))) this.refiller.refillSoon(companyId);
  }
}
