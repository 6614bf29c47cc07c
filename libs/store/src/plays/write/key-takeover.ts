import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../driver/duplicate-key.js';
import type { Mongo } from '../../driver/mongo.js';
import { whatIsThere, type Insertion } from './play-inserts.js';
import { withOrder } from '../reads/queues.js';
import { refusalOf } from './store-refusals.js';

/**
 * Inserts a play that takes the key of a failed one. Both or none: no other play gets the key in between, and it is never free
 * while a run may still go on with that play.
 *
 * @returns null: the failed play does not hold the key any more, and nothing was stored
 */
export async function insertWithKeyOf(
  failedId: string,
  play: Play,
  database: Pick<Mongo, 'transaction' | 'serverNow'>,
  plays: mongo.Collection<Play>,
): Promise<Insertion | null> {
  const { company_id, flowId, key } = play;
  if (key === undefined) return null;
  const holder = { _id: failedId, company_id, flowId, key, state: 'FAIL' } as const;
  const inserted = database.transaction(async (session): Promise<Insertion | null> => {
    const { matchedCount } = await plays.updateOne(holder, { $unset: { key: 1 } }, { session });
    if (matchedCount === 0) return null;
    // marked whatever its age, so that it may last until it is committed
    const [marked] = withOrder([{ ...play, ...{ movedAt: new Date(database.serverNow()) } }]);
    if (marked) await plays.insertOne(marked, { session, ignoreUndefined: true });
    return 'stored';
  });
  return inserted.catch((error: unknown) => {
    if (isDuplicateKey(error)) return whatIsThere(error.message);
    throw refusalOf(play._id, error) ?? error;
  });
}
