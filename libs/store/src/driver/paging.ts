import { WeftError } from '@weft/kernel';
import type { mongo } from 'mongoose';
import type { SnapshotRead } from './mongo.js';
import { readInPortions } from './read-in-portions.js';
import { isTimeOver } from './time-over.js';

/** Totals are exact up to here; beyond it `totalCapped` says that there are more. */
export const TOTAL_CAP = 10_000;

/** Items of some lists hold values of a caller's own: while one page is decoded others have their turn. */
const ITEMS_AT_ONCE = 5;

/** One page of a list that is sorted by `_id`, newest first: by number, or after an id. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
  /** The last id of the page before, or another place in the order of the list; set, `page` is only for display. */
  readonly after: string | null;
}

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly totalCapped: boolean;
  /** The id to ask after for the next page, null at the end. */
  readonly nextAfter: string | null;
}

/** How long a list may keep MongoDB busy, in milliseconds. */
export interface ListTimes {
  readonly page: number;
  readonly count: number;
}

/** Less than the limit of any operation, so that MongoDB says itself that the list is too long to find: it is not unreachable. */
export const TIMES: ListTimes = { page: 8_000, count: 2_000 };

/** @param filter of the whole list; its index must have `_id` behind the filter's equalities */
export async function findPage<T extends { readonly _id: string }>(
  collection: mongo.Collection<T>,
  filter: mongo.Filter<T>,
  request: PageRequest,
  projection: mongo.Document,
  times = TIMES,
): Promise<PageOf<T>> {
  return pageWithTotal(
    collection,
    fromThere(filter, request),
    request,
    projection,
    () => countWithin(collection, filter, { times }),
    times,
  );
}

/** The filter of a list from where the page before has ended. */
export function fromThere<T>(filter: mongo.Filter<T>, { after }: PageRequest): mongo.Filter<T> {
  return after === null ? filter : ({ $and: [filter, { _id: { $lt: after } }] } as mongo.Filter<T>);
}

/**
 * @param filter of the list from `request.after` on
 * @param count of the whole list, up to one more than `TOTAL_CAP`; where its time is over, the total is what is known, and capped
 * @throws WeftError `query_too_slow`: the page takes too long to find
 */
export async function pageWithTotal<T extends { readonly _id: string }>(
  collection: mongo.Collection<T>,
  filter: mongo.Filter<T>,
  request: PageRequest,
  projection: mongo.Document,
  count: () => Promise<number | null>,
  times = TIMES,
): Promise<PageOf<T>> {
  const found = readInPortions<T>(
    collection
      .find<T>(filter, { projection, maxTimeMS: times.page })
      .sort({ _id: -1 })
      .skip(request.after === null ? request.page * request.size : 0)
      .limit(request.size + 1),
    () => 1,
    ITEMS_AT_ONCE,
  ).catch(sayTooLong);
  return toPageOf(request, found, count().catch(unlessTimeOver), (item) => item._id);
}

/**
 * @param found the items of the page and, if there is one, the first of the next
 * @param counted see `countWithin`
 * @param keyOf an item's place in the order of the list
 */
export async function toPageOf<T>(
  request: PageRequest,
  found: Promise<readonly T[]>,
  counted: Promise<number | null>,
  keyOf: (item: T) => string,
): Promise<PageOf<T>> {
  const [rows, count] = await Promise.all([found, counted]);
  const items = rows.slice(0, request.size);
  const seen = (request.after === null ? request.page * request.size : 0) + rows.length;
  const last = items.at(-1);
  return {
    items,
    total: Math.min(count ?? seen, TOTAL_CAP),
    totalCapped: count === null || count > TOTAL_CAP,
    nextAfter: rows.length > request.size && last !== undefined ? keyOf(last) : null,
  };
}

/**
 * How many match, up to one more than `TOTAL_CAP`; null: counting takes too long.
 *
 * @param options `at`: default now
 */
export async function countWithin<T>(
  collection: mongo.Collection<T & mongo.Document>,
  filter: mongo.Filter<T>,
  { at, times = TIMES }: { readonly at?: SnapshotRead; readonly times?: ListTimes } = {},
): Promise<number | null> {
  const options = { limit: TOTAL_CAP + 1, maxTimeMS: times.count, ...at };
  return collection.countDocuments(filter as mongo.Filter<T & mongo.Document>, options).catch(unlessTimeOver);
}

function unlessTimeOver(error: unknown): null {
  if (isTimeOver(error)) return null;
  throw error;
}

/** @throws WeftError `query_too_slow` */
export function sayTooLong(error: unknown): never {
  if (!isTimeOver(error)) throw error;
  throw new WeftError(
    'query_too_slow',
    'The list takes too long to find: hardly anything of what there is matches. Narrow it down, by flow or by time.',
    { cause: error },
  );
}
