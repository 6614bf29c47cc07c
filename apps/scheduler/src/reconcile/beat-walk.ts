import type { OpenPlay } from '@weft/engine';
import type { OpenPlaysRepository } from '@weft/persistence';

const PAGE = 500;

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

  constructor(private readonly plays: OpenPlaysRepository) {}

  forget(): void {
    this.mark = null;
  }

  /** The next page up to `until`, empty at the end. Call `seen` with it when it has been dealt with. */
  page(until: Date): Promise<OpenPlay[]> {
    return this.plays.silent(this.mark, until, PAGE);
  }

  seen(page: readonly OpenPlay[]): void {
    const last = page.at(-1);
    if (last?.beatAt) this.mark = { beatAt: last.beatAt, id: last._id };
  }
}
