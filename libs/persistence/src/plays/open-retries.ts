import { FINAL_STATES } from '@weft/contracts';
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';

/** Of a play, its retry, the retry of that and so on. A layer looks back no further for the play that it has started before. */
export const MOST_RETRY_LINKS = 100;
/** Ids in one query. */
const IDS_A_QUERY = 1_000;
/** Retries that one search remembers. */
const MOST_RETRIES = 10_000;

/** Matches plays that have not ended. */
export const OPEN = { state: { $nin: [...FINAL_STATES] } } as const;

type Plays = mongo.Collection<Play>;
type Retry = Pick<Play, '_id' | 'state' | 'retryOf'>;

/**
 * Of these plays, those of which a retry is open, or a retry of such a retry and so on. Reruns are runs of their own. A play with
 * more than 10,000 retries counts as one with an open retry. Index `retries`.
 *
 * @param isOpen matches what counts as open; none of it may have been retried
 */
export async function withOpenRetry(
  plays: Plays,
  companyId: string,
  playIds: readonly string[],
  isOpen: mongo.Filter<Play> = OPEN,
): Promise<ReadonlySet<string>> {
  const found = await new RetrySearch(plays, companyId, playIds, isOpen).run();
  if (found || playIds.length <= 1) return found ?? new Set(playIds);
  // one of them has very many retries: the others are decided without it
  const middle = Math.ceil(playIds.length / 2);
  const first = await withOpenRetry(plays, companyId, playIds.slice(0, middle), isOpen);
  const second = await withOpenRetry(plays, companyId, playIds.slice(middle), isOpen);
  return new Set([...first, ...second]);
}

/**
 * A retry of this play that is open, or such a retry of a retry; null when all have ended. The play itself when it has more than
 * 10,000 retries: then it counts as one with an open retry. Index `retries`.
 */
export async function openRetryOf(plays: Plays, companyId: string, playId: string): Promise<string | null> {
  const search = new RetrySearch(plays, companyId, [playId], OPEN);
  const found = await search.run();
  return search.firstOpen ?? (found ? null : playId);
}

/** One search, from plays to their retries, one link after the other. */
class RetrySearch {
  /** By each play that was found, the play that it retries. */
  private readonly retried = new Map<string, string>();
  /** Plays that were looked at: a damaged record may name a play that comes after it, and the search ends all the same. */
  private readonly seen: Set<string>;
  private readonly withOpen = new Set<string>();
  /** The first open retry that was found. */
  firstOpen?: string;

  constructor(
    private readonly plays: Plays,
    private readonly companyId: string,
    private readonly playIds: readonly string[],
    private readonly isOpen: mongo.Filter<Play>,
  ) {
    this.seen = new Set(playIds);
  }

  /** Null: there are too many retries. */
  async run(): Promise<ReadonlySet<string> | null> {
    let failed = this.playIds;
    for (let link = 0; failed.length > 0 && link < MOST_RETRY_LINKS; link += 1) {
      const next: string[] = [];
      for (let i = 0; i < failed.length; i += IDS_A_QUERY) {
        const retries = await this.retriesOf(failed.slice(i, i + IDS_A_QUERY));
        for (const retry of retries) if (this.take(retry)) next.push(retry._id);
        if (this.playIds.every((id) => this.withOpen.has(id))) return this.result();
        if (this.retried.size > MOST_RETRIES) return null;
      }
      failed = next;
    }
    return this.result();
  }

  /** @returns whether it may have been retried itself */
  private take({ _id, state, retryOf = '' }: Retry): boolean {
    this.retried.set(_id, retryOf);
    if (state !== 'FAIL') this.firstOpen ??= _id;
    if (state !== 'FAIL' || this.withOpen.has(_id)) this.markAncestors(retryOf);
    const isNew = !this.seen.has(_id);
    this.seen.add(_id);
    return isNew && state === 'FAIL';
  }

  private markAncestors(from: string): void {
    for (let id: string | undefined = from; id !== undefined && !this.withOpen.has(id); id = this.retried.get(id))
      this.withOpen.add(id);
  }

  /** Only a play that failed is retried, so the retries of all others are not looked for. */
  private retriesOf(failed: readonly string[]): Promise<Retry[]> {
    const of = { company_id: this.companyId, retryOf: { $in: failed }, trigger: { $ne: 'rerun' } };
    return this.plays
      .find<Retry>({ ...of, $or: [{ state: 'FAIL' }, this.isOpen] } as mongo.Filter<Play>, {
        projection: { state: 1, retryOf: 1 },
      })
      .hint('retries')
      .limit(MOST_RETRIES + 1)
      .toArray();
  }

  private result(): ReadonlySet<string> {
    return new Set(this.playIds.filter((id) => this.withOpen.has(id)));
  }
}
