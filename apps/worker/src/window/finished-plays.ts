import type { RunWindow, WindowRefiller } from '@weft/queue';

/** At half, the queue would be dry while the refill is on its way: half a window is what the workers hold. */
const REFILL_BELOW = 3 / 4;

/**
 * Takes plays whose job ended out of their company's window, many in one round trip, and has the window refilled where it
 * has room for a good many. While Redis is away nothing is taken out: the reconciler sets it right.
 */
export class FinishedPlays {
  private pending = new Map<string, string[]>();
  private flying = false;

  constructor(
    private readonly window: RunWindow,
    private readonly refiller: WindowRefiller,
    private readonly windowSize: () => number,
    private readonly onError: (error: unknown) => void,
  ) {}

  add(companyId: string, playId: string): void {
    const ids = this.pending.get(companyId);
    if (ids) ids.push(playId);
    else this.pending.set(companyId, [playId]);
    if (!this.flying) setImmediate(() => void this.flush());
  }

  private async flush(): Promise<void> {
    if (this.flying || this.pending.size === 0) return;
    this.flying = true;
    const batch = this.pending;
    this.pending = new Map();
    try {
      const left = await this.window.finish(batch);
      const enough = this.windowSize() * REFILL_BELOW;
      for (const [companyId, { rung, waiting }] of left) {
        if (waiting > 0 && rung < enough) this.refiller.refill(companyId).catch(this.onError);
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.flying = false;
      if (this.pending.size > 0) setImmediate(() => void this.flush());
    }
  }
}
