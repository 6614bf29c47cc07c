/** Which ended plays stay, and their layers with them, because an open play may still need them. */
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { firstOf, openChains, type TenantScope } from '@weft/store';
import { MOST_PREVIEWED, PREVIEW_WITHIN_MS } from './sweep.js';

/** Plays that a preview reads in one operation. */
const READ_AT_ONCE = 2_000;

/** What of a play decides whether an open play may need it. */
export interface MaybeAwaited extends Pick<Play, '_id' | 'state'> {
  readonly chain?: { readonly first: string };
  readonly parent?: { readonly first: string };
}
export const MAYBE_AWAITED_FIELDS = { state: 1, 'chain.first': 1, 'parent.first': 1 } as const;

/** Matches the plays of which `withoutAwaited` may leave some out: children and failed plays. */
const MAYBE_AWAITED: mongo.Filter<Play> = { $or: [{ parentPlayId: { $exists: true } }, { state: 'FAIL' }] };
/** Matches all other plays. */
export const NEVER_AWAITED: mongo.Filter<Play> = { parentPlayId: { $exists: false }, state: { $ne: 'FAIL' } };

/**
 * Without those whose parent, or a later play of its chain of retries, has not ended: that one may ask for the child again, and
 * would start another. Also without failed ones of whose chain a play has not ended: that one takes over what they have done.
 */
export async function withoutAwaited<Found extends MaybeAwaited>(
  plays: mongo.Collection<Play>,
  { companyId }: TenantScope,
  found: readonly Found[],
): Promise<readonly Found[]> {
  const parents = new Set(found.flatMap(({ parent }) => parent?.first ?? []));
  const failed = found.filter(({ state }) => state === 'FAIL').map(firstOf);
  if (parents.size + failed.length === 0) return found;
  const open = await openChains(plays, companyId, [...parents], failed);
  const isNeeded = (play: MaybeAwaited) =>
    (play.parent !== undefined && open.has(play.parent.first)) || (play.state === 'FAIL' && open.has(firstOf(play)));
  return found.filter((play) => !isNeeded(play));
}

/** One page of children and failed plays: all that match, and those of them that no open play may need. */
interface AwaitedPage<Found> {
  readonly found: readonly Found[];
  readonly free: readonly Found[];
}

/**
 * Reads the children and failed plays that match, in portions, for a preview.
 *
 * @param projection what is read of each in addition to what decides
 */
export async function* pagesOfMaybeAwaited<Extra extends object = object>(
  plays: mongo.Collection<Play>,
  company: TenantScope,
  filter: mongo.Filter<Play>,
  projection: mongo.Document = {},
): AsyncGenerator<AwaitedPage<MaybeAwaited & Extra>> {
  const deadline = performance.now() + PREVIEW_WITHIN_MS;
  let after = '';
  for (let read = 0; read < MOST_PREVIEWED; read += READ_AT_ONCE) {
    const found = await plays
      .find<MaybeAwaited & Extra>(
        { $and: [filter, MAYBE_AWAITED, { _id: { $gt: after } }] },
        {
          projection: { ...MAYBE_AWAITED_FIELDS, ...projection },
          maxTimeMS: Math.max(1, Math.round(deadline - performance.now())),
        },
      )
      .sort({ _id: 1 })
      .limit(READ_AT_ONCE)
      .toArray();
    yield { found, free: await withoutAwaited(plays, company, found) };
    if (found.length < READ_AT_ONCE) return;
    after = found.at(-1)?._id ?? '';
  }
}
