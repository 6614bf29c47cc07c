/**
 * A list of plays by the time of their end, without an index over it (ADR 63). It reads ranges of that time, from the latest on,
 * each eight times as long as the one before, until it has a page: `toEndedQuery` says which plays can have ended within a range.
 */
import type { Play } from '@weft/engine';
import { isId } from '@weft/kernel';
import type { mongo } from 'mongoose';
import { countWithin, sayTooLong, TIMES, toPageOf, type PageOf, type PageRequest } from '../../driver/paging.js';
import type { TenantScope } from '../../scope.js';
import { toEndedQuery, type Condition, type PlayFilter } from './play-query.js';

const FIRST_RANGE_MS = 2_000;
const LONGER = 8;
/** Whatever ended before is read in one go. */
const LONGEST_RANGE_MS = 400 * 24 * 3_600_000;

interface EndedPlays {
  readonly plays: mongo.Collection<Play>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: number;
}

type Ended = Pick<Play, '_id' | 'completedAt'>;

interface EndKey {
  readonly at: Date;
  readonly id: string;
}

/** Where a play is in the order of ends. */
export function endKey({ _id, completedAt }: Ended): string {
  return `${completedAt?.getTime() ?? 0}-${_id}`;
}

export function isEndKey(text: string): boolean {
  return readEndKey(text) !== null;
}

function readEndKey(text: string): EndKey | null {
  const [, ms, id = ''] = /^(\d{1,15})-(.+)$/.exec(text) ?? [];
  return ms !== undefined && isId(id) ? { at: new Date(Number(ms)), id } : null;
}

/** @throws WeftError `query_too_slow`: the page takes too long to find */
export async function pageByEnd<T extends Ended>(
  { plays, serverNow }: EndedPlays,
  scope: TenantScope,
  filter: PlayFilter,
  request: PageRequest,
  projection: mongo.Document,
): Promise<PageOf<T>> {
  const after = request.after === null ? null : readEndKey(request.after);
  const skipped = after === null ? request.page * request.size : 0;
  const wanted = skipped + request.size + 1;
  const deadline = performance.now() + TIMES.page;
  const find = async (range: Pick<PlayFilter, 'endedFrom' | 'endedTo'>, limit: number): Promise<T[]> => {
    const query = toEndedQuery(scope, { ...filter, ...range }, [HAS_ENDED, ...(after ? [endedBefore(after)] : [])]);
    return plays
      .find(query, { projection, limit })
      .sort({ completedAt: -1, _id: -1 })
      .maxTimeMS(Math.max(1, Math.round(deadline - performance.now())))
      .toArray() as unknown as Promise<T[]>;
  };
  const ranges = rangesBefore(after?.at ?? null, filter, serverNow);
  const found = readRanges(ranges, wanted, find).then((rows) => rows.slice(skipped));
  const counted = countWithin(plays, toEndedQuery(scope, filter, [HAS_ENDED]));
  return toPageOf(request, found.catch(sayTooLong), counted, endKey);
}

type Range = Pick<PlayFilter, 'endedFrom' | 'endedTo'>;

const HAS_ENDED = { completedAt: { $exists: true } } as const;

function endedBefore({ at, id }: EndKey): Condition {
  return { $or: [{ completedAt: { $lt: at } }, { completedAt: at, _id: { $lt: id } }] };
}

/** The ranges to look into, the latest first; together they are all of the filter's range up to `last`. */
function* rangesBefore(last: Date | null, { endedFrom, endedTo }: PlayFilter, serverNow: number): Generator<Range> {
  const bounds = [endedTo, last && new Date(last.getTime() + 1)].filter((bound) => bound instanceof Date);
  let to = bounds.length > 0 ? new Date(Math.min(...bounds.map((bound) => bound.getTime()))) : undefined;
  for (let lengthMs = FIRST_RANGE_MS; ; lengthMs *= LONGER) {
    const from = new Date((to?.getTime() ?? serverNow) - lengthMs);
    const isLast = lengthMs > LONGEST_RANGE_MS || (endedFrom !== undefined && from <= endedFrom);
    yield { endedFrom: isLast ? endedFrom : from, endedTo: to };
    if (isLast) return;
    to = from;
  }
}

async function readRanges<T>(
  ranges: Iterable<Range>,
  wanted: number,
  find: (range: Range, limit: number) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (const range of ranges) {
    rows.push(...(await find(range, wanted - rows.length)));
    if (rows.length >= wanted) break;
  }
  return rows;
}
