/** Reads of many plays at once, which users decide the size of. */
import type { BatchOutcome } from '@weft/concurrency';
import type { Play, PlayKey } from '@weft/engine';
import type { mongo } from 'mongoose';
import { findPage } from '../driver/find-page.js';
import { filterOf } from './write/batch-outcomes.js';
import type { DurableCommands } from './write/durable-commands.js';
import { BY_ID } from './play.schema.js';

/** A play with more bytes is read by itself. So 200 smaller ones, one in each slot of a worker, take 50 MB at most. */
export const LARGE_PLAY_BYTES = 256 * 1024;

/** A play that is there, and was not read. */
export class LargePlay {
  constructor(readonly bytes: number) {}
}

type Found = Pick<Play, '_id' | 'company_id' | 'flowId'>;
type Commands = Pick<DurableCommands, 'deadline'>;

export async function findPlays(plays: mongo.Collection<Play>, keys: readonly PlayKey[], commands: Commands) {
  // all of them in the first answer, if they are not large
  const options = { batchSize: keys.length + 1, signal: commands.deadline(), hint: BY_ID };
  const { docs, leftOut } = await findPage(plays, filterOf(keys), options, Number.POSITIVE_INFINITY, LARGE_PLAY_BYTES);
  const small = matched(docs, keys);
  if (leftOut === 0) return small;
  const sizes = await sizesOf(
    plays,
    keys.filter((_key, i) => small[i]?.ok === null),
    commands,
  );
  const large = matched(sizes, keys);
  return small.map((one, i): BatchOutcome<Play | LargePlay | null> => {
    const size = large[i]?.ok;
    return size ? { ok: new LargePlay(size.bytes) } : one;
  });
}

export async function findWhole(plays: mongo.Collection<Play>, keys: readonly PlayKey[], commands: Commands) {
  const options = { signal: commands.deadline(), hint: BY_ID };
  const { docs } = await findPage(plays, filterOf(keys), options, Number.POSITIVE_INFINITY);
  return matched(docs, keys);
}

async function sizesOf(plays: mongo.Collection<Play>, keys: readonly PlayKey[], commands: Commands) {
  const projection = { company_id: 1, flowId: 1, bytes: { $bsonSize: '$$ROOT' } };
  const options = { projection, signal: commands.deadline(), hint: BY_ID };
  return plays.find<Found & { readonly bytes: number }>(filterOf(keys), options).toArray();
}

function matched<Doc extends Found>(docs: readonly Doc[], keys: readonly PlayKey[]) {
  const byId = new Map(docs.map((doc) => [doc._id, doc]));
  return keys.map(({ playId, companyId, flowId }): { readonly ok: Doc | null } => {
    const doc = byId.get(playId);
    return { ok: doc?.company_id === companyId && doc.flowId === flowId ? doc : null };
  });
}
