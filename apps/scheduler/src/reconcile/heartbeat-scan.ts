import type { OpenPlay } from '@weft/engine';
import type { HeartbeatMark, SilentPage } from '@weft/store';

/** Reads a page of plays without a heartbeat. */
export type ReadSilent = (after: HeartbeatMark | null, until: Date) => Promise<SilentPage>;

/** No heartbeat is later. */
const END_OF_TIME = new Date(8.64e15);
/**
 * Bounds the walk while this process has not noticed yet that the clock was set ahead: every heartbeat is in the future
 * then.
 */
const MOST_FUTURE_PAGES = 100;

/**
 * Walks the plays whose last heartbeat is older than a limit, oldest first, each once: the plays up to the mark have been
 * seen, and are not looked at again until `forget` is called (Redis lost data, this process restarted, the slow full pass)
 * or MongoDB's clock was set back. A walk that starts again ends with the plays whose heartbeat is in the future: it dates
 * from before the clock was set back, and would take too long to become old.
 */
export class HeartbeatScan {
  private mark: HeartbeatMark | null = null;
  private isAnew = true;
  private forgotten = 0;
  /** The most that MongoDB's clock was ahead of this process's monotonic clock. */
  private aheadMs = Number.NEGATIVE_INFINITY;

  /** @param silentMs age of the last heartbeat from which on a play is looked at */
  constructor(
    private readonly read: ReadSilent,
    private readonly silentMs: number,
  ) {}

  forget(): void {
    this.mark = null;
    this.isAnew = true;
    this.forgotten += 1;
  }

  /**
   * Deals with the next page. If that fails, the next call gets the same page.
   *
   * @param serverNowMs MongoDB's clock; the same for all pages of a pass, or the pass might never end
   * @returns whether it was the last page
   */
  async next(serverNowMs: number, deal: (page: readonly OpenPlay[]) => Promise<unknown>): Promise<boolean> {
    this.followClock(serverNowMs);
    const { forgotten } = this;
    const until = new Date(serverNowMs - this.silentMs);
    const { plays, reached, isLast } = await this.read(this.mark, until);
    await deal(plays);
    // `forget` was called meanwhile: the walk starts again before this page
    if (forgotten !== this.forgotten) return false;
    this.mark = reached ?? this.mark;
    if (!isLast) return false;
    if (this.isAnew) await this.dealWithFuture(serverNowMs, deal);
    this.isAnew = false;
    return true;
  }

  private async dealWithFuture(
    serverNowMs: number,
    deal: (page: readonly OpenPlay[]) => Promise<unknown>,
  ): Promise<void> {
    let mark: HeartbeatMark = { heartbeatAt: new Date(serverNowMs + this.silentMs), id: '' };
    for (let pages = 0; pages < MOST_FUTURE_PAGES; pages += 1) {
      const { plays, reached, isLast } = await this.read(mark, END_OF_TIME);
      if (plays.length > 0) await deal(plays);
      if (isLast || !reached) return;
      mark = reached;
    }
  }

  /** Heartbeats that are written after the clock was set back may be earlier than the mark. */
  private followClock(serverNowMs: number): void {
    const aheadMs = serverNowMs - performance.now();
    const wasSetBack = this.aheadMs - aheadMs > this.silentMs;
    if (wasSetBack) this.forget();
    this.aheadMs = wasSetBack ? aheadMs : Math.max(this.aheadMs, aheadMs);
  }
}
