import type { Play } from '@weft/engine';
import type { ClientSession } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { TenantScope } from '../../scope.js';
import { PLAYS } from '../play.schema.js';

/** Which of these plays are stored, as a majority of the members knows; with a session, as its transaction sees it. */
export async function playsThere(
  mongo: Mongo,
  { companyId }: TenantScope,
  ids: readonly string[],
  session?: ClientSession,
): Promise<ReadonlySet<string>> {
  const plays = await mongo
    .collection<Play>(PLAYS)
    .find(
      { _id: { $in: [...new Set(ids)] }, company_id: companyId },
      { projection: { _id: 1 }, ...(session ? { session } : { readConcern: 'majority' }) },
    )
    .toArray();
  return new Set(plays.map(({ _id }) => _id));
}
