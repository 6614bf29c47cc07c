/** Which ended plays stay, and their layers with them, because an open play may still need them. */
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { OPEN, withOpenRetry } from '../plays/open-retries.js';
import type { TenantScope } from '../scope.js';

/** Plays that a preview reads in one operation. */
const READ_AT_ONCE = 2_000;

/** What of a play decides whether an open play may need it. */
export type MaybeAwaited = Pick<Play, '_id' | 'parentPlayId' | 'state'>;

/** Matches the plays of which `withoutAwaited` may leave some out: children and failed plays. */
const MAYBE_AWAITED: mongo.Filter<Play> = { $or: [{ parentPlayId: { $exists: true } }, { state: 'FAIL' }] };
/** Matches all other plays. */
export const NEVER_AWAITED: mongo.Filter<Play> = { parentPlayId: { $exists: false }, state: { $ne: 'FAIL' } };

/**
 * Without those whose parent, or a retry of it, has not ended: that one may ask for the child again, and would start another. Also
 * without failed ones with an open retry: over them it finds what the plays before them have started.
 */
export async function withoutAwaited<Found extends MaybeAwaited>(
  plays: mongo.Collection<Play>,
  { companyId }: TenantScope,
  found: readonly Found[],
): Promise<readonly Found[]> {
  const parents = [...new Set(found.flatMap(({ parentPlayId }) => parentPlayId ?? []))];
  const failed = found.filter(({ state }) => state === 'FAIL').map(({ _id }) => _id);
  if (parents.length + failed.length === 0) return found;
  const open = await plays
    .find({ _id: { $in: parents }, company_id: companyId, ...OPEN }, { projection: { _id: 1 } })
    .toArray();
  const waiting = new Set(open.map(({ _id }) => _id));
  const ended = new Set([...parents.filter((id) => !waiting.has(id)), ...failed]);
  for (const id of await withOpenRetry(plays, companyId, [...ended])) waiting.add(id);
  return found.filter(({ _id, parentPlayId = _id }) => !waiting.has(_id) && !waiting.has(parentPlayId));
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
  for (let after = ''; ;) {
    const found = await plays
      .find<MaybeAwaited & Extra>(
        { $and: [filter, MAYBE_AWAITED, { _id: { $gt: after } }] },
        { projection: { parentPlayId: 1, state: 1, ...projection } },
      )
      .sort({ _id: 1 })
      .limit(READ_AT_ONCE)
      .toArray();
    yield { found, free: await withoutAwaited(plays, company, found) };
    if (found.length < READ_AT_ONCE) return;
    after = found.at(-1)?._id ?? '';
  }
}
