import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';

/** Longer chains are searched no further. */
const MOST_LINKS = 100;

/**
 * These plays and their retries, retries of these and so on: by the id of each, which of these plays it began with. Reruns are runs
 * of their own. Index `retries`.
 */
export async function withRetries(
  plays: mongo.Collection<Play>,
  companyId: string,
  playIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map(playIds.map((id) => [id, id]));
  let last = [...playIds];
  for (let i = 0; last.length > 0 && i < MOST_LINKS; i += 1) {
    const of = { company_id: companyId, retryOf: { $in: last }, trigger: { $ne: 'rerun' as const } };
    const retries = await plays.find<Pick<Play, '_id' | 'retryOf'>>(of, { projection: { retryOf: 1 } }).toArray();
    for (const { _id, retryOf = '' } of retries) found.set(_id, found.get(retryOf) ?? retryOf);
    last = retries.map(({ _id }) => _id);
  }
  return found;
}
