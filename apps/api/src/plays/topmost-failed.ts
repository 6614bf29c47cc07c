import { firstOf, type RetriesRepository, type RetryLink, type TenantScope } from '@weft/store';

/** `made`: the operation has made the retry already, also when it has failed since. Null: nothing is to be retried. */
type Topmost = { readonly playId: string } | 'made' | null;

/**
 * Which play is retried for this one: itself, or the topmost of the failed plays that wait for each other, whose retry runs it again.
 *
 * @param isMade whether the operation itself has made this retry
 */
export async function topmostFailed(
  play: RetryLink,
  scope: TenantScope,
  retries: Pick<RetriesRepository, 'latest' | 'retriedThrough'>,
  isMade: (retry: RetryLink) => boolean,
): Promise<Topmost> {
  const last = await retries.latest(scope, firstOf(play));
  if (last && isMade(last)) return 'made';
  if (play.state !== 'FAIL' || last?._id !== play._id) return null;
  for (let top = play; ;) {
    const above = await retries.retriedThrough(scope, top);
    if (!above) return { playId: top._id };
    if (isMade(above)) return 'made';
    // it goes on with the play, or has ended by then and may be retried itself
    if (above.state !== 'FAIL') return null;
    top = above;
  }
}
