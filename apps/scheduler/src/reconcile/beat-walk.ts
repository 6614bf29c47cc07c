import type { OpenPlay } from '@weft/engine';
import type { OpenPlaysRepository, WaitingAfter } from '@weft/persistence';
import { PAGE } from './healing-loop.js';

interface Mark {
  readonly beatAt: Date;
  readonly id: string;
}

/** No sign of life is later. */
const END_OF_TIME = new Date(8.64e15);
/** While this process has not heard yet that the clock was set ahead, every sign of life is from the future. */
const MOST_FUTURE_PAGES = 100;

/**
 * Walks the plays whose last sign of life is older than a limit, oldest first, each once: what was seen is behind the mark
 * and not looked at again until the walk is told to forget (Redis lost data, this process restarted, the slow full pass),
 * or MongoDB's clock was set back. A walk that begins anew ends with the plays whose sign of life lies in the future: it is
 * from before the clock was set, and time would reach it too late.
 */
export class BeatWalk {
  private mark: Mark | null = null;
  private isAnew = true;
  private forgotten = 0;
  /** The most that MongoDB's clock was ahead of this process's monotonic one. */
  private aheadMs = Number.NEGATIVE_INFINITY;

  /** @param silentMs age of a last sign of life from which on a play is looked at */
  constructor(
    private readonly plays: Pick<OpenPlaysRepository, 'silent'>,
    private readonly silentMs: number,
  ) {}

  forget(): void {
    this.mark = null;
    this.isAnew = true;
    this.forgotten += 1;
  }

  /**
   * Deals with the next page; when that fails, the page comes again.
   *
   * @param serverNowMs MongoDB's clock; the same for all pages of a pass, or it might have no end
   * @param but plays that are passed over
   * @returns whether it was the last page
   */
  async next(
    serverNowMs: number,
    deal: (page: readonly OpenPlay[]) => Promise<unknown>,
    but: readonly WaitingAfter[] = [],
  ): Promise<boolean> {
    this.followClock(serverNowMs);
    const { forgotten } = this;
    const until = new Date(serverNowMs - this.silentMs);
    const page = await this.plays.silent(this.mark, until, PAGE, but);
    await deal(page);
    // what was forgotten meanwhile lies before this page
    if (forgotten !== this.forgotten) return false;
    const last = page.at(-1);
    if (last?.beatAt) this.mark = { beatAt: last.beatAt, id: last._id };
    if (page.length === PAGE) return false;
    if (this.isAnew) await this.dealWithFuture(serverNowMs, deal);
    this.isAnew = false;
    return true;
  }

  private async dealWithFuture(
    serverNowMs: number,
    deal: (page: readonly OpenPlay[]) => Promise<unknown>,
  ): Promise<void> {
    let mark: Mark = { beatAt: new Date(serverNowMs + this.silentMs), id: '' };
    for (let pages = 0; pages < MOST_FUTURE_PAGES; pages += 1) {
      const page = await this.plays.silent(mark, END_OF_TIME, PAGE);
      if (page.length === 0) return;
      await deal(page);
      const last = page.at(-1);
      if (!last?.beatAt || page.length < PAGE) return;
      mark = { beatAt: last.beatAt, id: last._id };
    }
  }

  /** Signs of life that are given after the clock was set back may lie behind the mark. */
  private followClock(serverNowMs: number): void {
    const aheadMs = serverNowMs - performance.now();
    const wasSetBack = this.aheadMs - aheadMs > this.silentMs;
    if (wasSetBack) this.forget();
    this.aheadMs = wasSetBack ? aheadMs : Math.max(this.aheadMs, aheadMs);
  }
}
