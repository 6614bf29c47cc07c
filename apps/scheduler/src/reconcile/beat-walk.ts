import type { OpenPlay } from '@weft/engine';
import type { OpenPlaysRepository, WaitingAfter } from '@weft/persistence';
import { PAGE } from './healing-loop.js';

interface Mark {
  readonly beatAt: Date;
  readonly id: string;
}

/**
 * Walks the plays whose last sign of life is older than a limit, oldest first, each once: what was seen is behind the mark
 * and not looked at again until the walk is told to forget (Redis lost data, this process restarted, the slow full pass).
 */
export class BeatWalk {
  private mark: Mark | null = null;
  private forgotten = 0;

  constructor(private readonly plays: Pick<OpenPlaysRepository, 'silent'>) {}

  forget(): void {
    this.mark = null;
    this.forgotten += 1;
  }

  /**
   * Deals with the next page up to `until`; when that fails, the page comes again.
   *
   * @param but plays that are passed over
   * @returns whether it was the last page
   */
  async next(
    until: Date,
    deal: (page: readonly OpenPlay[]) => Promise<unknown>,
    but: readonly WaitingAfter[] = [],
  ): Promise<boolean> {
    const { forgotten } = this;
    const page = await this.plays.silent(this.mark, until, PAGE, but);
    await deal(page);
    const last = page.at(-1);
    // what was forgotten meanwhile lies before this page
    if (last?.beatAt && forgotten === this.forgotten) this.mark = { beatAt: last.beatAt, id: last._id };
    return page.length < PAGE;
  }
}
