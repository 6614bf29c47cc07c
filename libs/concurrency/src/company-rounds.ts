export interface CompanyStep {
  /** How much of the company was dealt with. */
  readonly did: number;
  /** The company has more. */
  readonly more: boolean;
}

export interface CompanyRoundsOptions<Found extends { readonly companyId: string }> {
  /** The company after this one, in their order, that has something to do; null: none. Begins with the first one after ''. */
  readonly next: (after: string) => Promise<Found | null>;
  /** Deals with at most this much of one company. */
  readonly step: (found: Found, atMost: number) => Promise<CompanyStep>;
  /** Of one company in a row. */
  readonly stepSize: number;
  /** Of all companies in one pass. */
  readonly most: number;
}

/**
 * A walk over what all companies have to do, however much one of them has: a bounded step of each company in turn, then further
 * steps of those that have more. A pass has a bound, too, and the next one goes on with the company that follows.
 */
export class CompanyRounds<Found extends { readonly companyId: string }> {
  /** The company whose step was the last one. */
  private last = '';

  constructor(private readonly options: CompanyRoundsOptions<Found>) {}

  /**
   * @returns how much was dealt with
   * @throws what a step threw; the next pass goes on with the company that follows
   */
  async pass(signal?: AbortSignal): Promise<number> {
    const seen = new Set<string>();
    const withMore: Found[] = [];
    let left = this.options.most;
    let did = 0;
    const visit = async (found: Found, isFirst: boolean): Promise<void> => {
      const done = await this.step(found, left, isFirst);
      did += done.did;
      // one that finds nothing counts, too
      left -= Math.max(done.did, 1);
      if (done.more) withMore.push(found);
    };
    for (let found = await this.following(); found && !seen.has(found.companyId); found = await this.following()) {
      if (left <= 0 || signal?.aborted) return did;
      await visit(found, seen.size === 0);
      seen.add(found.companyId);
    }
    for (let found = withMore.shift(); found && left > 0 && !signal?.aborted; found = withMore.shift()) {
      await visit(found, false);
    }
    return did;
  }

  private async following(): Promise<Found | null> {
    const found = await this.options.next(this.last);
    return found || this.last === '' ? found : this.options.next('');
  }

  /** A company for whose whole step there is no room has the rest of it first in the next pass. */
  private async step(found: Found, left: number, isFirst: boolean): Promise<CompanyStep> {
    const { stepSize, step } = this.options;
    const before = this.last;
    this.last = found.companyId;
    const done = await step(found, Math.min(stepSize, left));
    if (done.more && left < stepSize && !isFirst) this.last = before;
    return done;
  }
}
