import type { Play } from '@weft/engine';
import { BATCH_SIZE } from '@weft/retention';
import type { mongo } from 'mongoose';

/** The most plays that one step looks at. */
export const LOOKED_AT = 2_000;

export interface PlayRange {
  /** Plays of the company, or of some of its flows: an index walks them by id. */
  readonly of: mongo.Filter<Play>;
  /** Which of them are wanted. */
  readonly match: mongo.Filter<Play>;
  /** They come after this id. */
  readonly after: string;
  /** The last one; left out: to the end. */
  readonly upTo?: string;
}

export interface PlayPage<Found> {
  readonly found: readonly Found[];
  /** The next page comes after this id; null: this page was the last one. */
  readonly end: string | null;
}

/** The next plays that match, by id: at most a batch, and from among `LOOKED_AT` plays, since one that does not match is read too. */
export async function nextPage<Found extends Pick<Play, '_id'>>(
  plays: mongo.Collection<Play>,
  { of, match, after, upTo }: PlayRange,
  projection: mongo.Document,
): Promise<PlayPage<Found>> {
  const hint = 'flowId' in of ? 'flow_plays' : 'company_plays';
  const to = (last: string | undefined) => ({ $gt: after, ...(last !== undefined && { $lte: last }) });
  // keys of the index only
  const [last] = await plays
    .find({ ...of, _id: to(upTo) }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .skip(LOOKED_AT - 1)
    .limit(1)
    .hint(hint)
    .toArray();
  const found = await plays
    .find<Found>({ ...of, ...match, _id: to(last?._id ?? upTo) }, { projection })
    .sort({ _id: 1 })
    .limit(BATCH_SIZE)
    .hint(hint)
    .toArray();
  const isFull = found.length === BATCH_SIZE;
  return { found, end: (isFull ? found.at(-1)?._id : last?._id) ?? null };
}
