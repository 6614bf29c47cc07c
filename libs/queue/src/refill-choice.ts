import type { PlayJob } from '@weft/contracts';

export interface PrioritizedJob extends PlayJob {
  readonly priority: number;
}

/** Plays that wait, in accept order. */
export interface WaitingPage {
  readonly jobs: readonly PlayJob[];
  /** No other play waits up to this id. */
  readonly to: string;
  /** No other play waits after it, either. */
  readonly isLast: boolean;
  /** Most plays of the company in this range do not wait: reading takes long for what it finds. */
  readonly isSparse: boolean;
}

const PAGE = 500;
/** A refill ends after this many pages, and the next one continues from there: the new cursor is stored at its end. */
const MOST_PAGES = 20;

/** What one refill takes up, as long as there is room. */
export class RefillChoice {
  /** Everything that was looked for was found and taken: no other play waits. */
  exhausted = true;
  /** Plays that are not taken although they are found: they were rung for, or taken before. */
  private readonly leftOut: Set<string>;
  private readonly hasRung: boolean;

  constructor(
    private room: number,
    rung: ReadonlySet<string>,
  ) {
    this.leftOut = new Set(rung);
    this.hasRung = rung.size > 0;
  }

  /** Ids that are known to wait. */
  takeOutOfOrder(ids: readonly string[]): readonly string[] {
    const taken = [...new Set(ids)].slice(0, this.room);
    for (const id of taken) this.leftOut.add(id);
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
      const page = await look(after, this.hasRung ? PAGE : this.room, isSparse);
      const isAll = this.take(page.jobs, jobs);
      if (!isAll) after = jobs.at(-1)?.playId ?? after;
      else if (page.isLast) return { jobs, cursor: page.to };
      else after = page.to;
      ({ isSparse } = page);
    }
    this.exhausted = false;
    return { jobs, cursor: after };
  }

  /** @returns whether there was room for all plays of the page that were not rung for */
  private take<T extends PlayJob>(page: readonly T[], taken: PlayJob[]): boolean {
    const waiting = page.filter(({ playId }) => !this.leftOut.has(playId));
    const fit = waiting.slice(0, this.room);
    for (const { playId } of fit) this.leftOut.add(playId);
    taken.push(...fit);
    this.room -= fit.length;
    return fit.length === waiting.length;
  }
}
