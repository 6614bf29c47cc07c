import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { TenantScope } from '../../scope.js';
import { PLAYS } from '../play.schema.js';

const HINT = 'company_plays';
const FIRST_STRIDE = 64;

interface Sampling {
  /** Of a company with more plays than this, some are weighed; otherwise all. */
  readonly weighedAll: number;
  /** At most this many, and half of them at least. */
  readonly weighed: number;
}

const SAMPLING: Sampling = { weighedAll: 100_000, weighed: 1_000 };

/**
 * How many bytes the plays of a company take in MongoDB, uncompressed and without their indexes. Of more than 100,000 plays each
 * n-th is weighed, and all are counted, by keys of an index alone: the figure is a few per cent off then.
 */
export async function bytesOfPlays(
  mongo: Mongo,
  { companyId: company_id }: TenantScope,
  signal: AbortSignal,
  { weighedAll, weighed }: Sampling = SAMPLING,
): Promise<number> {
  const plays = mongo.collection<Play>(PLAYS);
  const some = await plays.countDocuments({ company_id }, { hint: HINT, limit: weighedAll + 1, signal });
  if (some <= weighedAll) return weigh(plays, { company_id }, signal);
  const { ids, count } = await walk(plays, company_id, weighed, signal);
  return Math.round((count / ids.length) * (await weigh(plays, { _id: { $in: [...ids] } }, signal)));
}

/** Each n-th play, and how many there are in all. n doubles, and every second play is left out, when they become too many. */
async function walk(
  plays: mongo.Collection<Play>,
  company_id: string,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly ids: readonly string[]; readonly count: number }> {
  let stride = FIRST_STRIDE;
  let ids: string[] = [];
  let after = '';
  for (;;) {
    const range = { company_id, _id: { $gt: after } };
    const [last] = await plays
      .find(range, { projection: { _id: 1 }, hint: HINT, signal })
      .sort({ _id: 1 })
      .skip(stride - 1)
      .limit(1)
      .toArray();
    if (!last) {
      const rest = await plays.countDocuments(range, { hint: HINT, signal });
      return { ids, count: ids.length * stride + rest };
    }
    after = last._id;
    ids.push(after);
    if (ids.length < most) continue;
    ids = ids.filter((_, i) => i % 2 === 1);
    stride *= 2;
  }
}

async function weigh(plays: mongo.Collection<Play>, filter: mongo.Filter<Play>, signal: AbortSignal): Promise<number> {
  const sum = { $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } };
  const [found] = await plays.aggregate<{ readonly bytes: number }>([{ $match: filter }, sum], { signal }).toArray();
  return found?.bytes ?? 0;
}
