import type { PlayJob } from '@weft/contracts';

export interface PrioritizedJob extends PlayJob {
  readonly priority: number;
}

/** Plays that wait, in accept order. */
export interface WaitingPage {
  readonly jobs: readonly PlayJob[];
  /** No other one waits up to this id. */
  readonly to: string;
  /** Nor after it. */
  readonly isLast: boolean;
  /** Most plays of the company that lie there do not wait: a look takes long for what it finds. */
  readonly isSparse: boolean;
}

const PAGE = 500;
/** A refill ends then, and the next one goes on from there: what it found out is stored with its end. */
const MOST_PAGES = 20;

/** What one refill takes, as long as there is room. */
export class RefillChoice {
  /** All that was looked for was found and taken: nobody else waits. */
  exhausted = true;

  /** @param rung those that are found and count as rung are passed over */
  constructor(
    private room: number,
    private readonly rung: ReadonlySet<string>,
  ) {}

  /** Ids that are known to wait. */
  takeSlipped(ids: readonly string[]): readonly string[] {
    const taken = ids.slice(0, this.room);
    this.room -= taken.length;
    return taken;
  }

  async takeByPriority(
    look: (limit: number, after: PrioritizedJob | null) => Promise<readonly PrioritizedJob[]>,
  ): Promise<readonly PlayJob[]> {
    const taken: PlayJob[] = [];
    let after: PrioritizedJob | null = null;
    while (this.room > 0) {
      const page: readonly PrioritizedJob[] = await look(PAGE, after);
      const isAll = this.take(page, taken);
      after = page.at(-1) ?? after;
      if (isAll && page.length < PAGE) return taken;
    }
    this.exhausted = false;
    return taken;
  }

  async takeInOrder(
    cursor: string,
    look: (after: string, limit: number, isSparse: boolean) => Promise<WaitingPage>,
  ): Promise<{ readonly jobs: readonly PlayJob[]; readonly cursor: string }> {
    const jobs: PlayJob[] = [];
    let after = cursor;
    let isSparse = false;
    for (let pages = 0; pages < MOST_PAGES && this.room > 0; pages += 1) {
      const page = await look(after, this.rung.size > 0 ? PAGE : this.room, isSparse);
      const isAll = this.take(page.jobs, jobs);
      if (!isAll) after = jobs.at(-1)?.playId ?? after;
      else if (page.isLast) return { jobs, cursor: page.to };
      else after = page.to;
      ({ isSparse } = page);
    }
    this.exhausted = false;
    return { jobs, cursor: after };
  }

  /** @returns whether there was room for all of the page that is not rung */
  private take<T extends PlayJob>(page: readonly T[], taken: PlayJob[]): boolean {
    const unrung = page.filter(({ playId }) => !this.rung.has(playId));
    const fit = unrung.slice(0, this.room);
    taken.push(...fit);
    this.room -= fit.length;
    return fit.length === unrung.length;
  }
}
