import type { mongo } from 'mongoose';

/** Totals are exact up to here; beyond it `totalCapped` says that there are more. */
export const TOTAL_CAP = 10_000;

/** One page of a list that is sorted by `_id`, newest first: by number, or after an id. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
  /** The last id of the page before; set, `page` is only for display. */
  readonly after: string | null;
}

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly totalCapped: boolean;
  /** The id to ask after for the next page, null at the end. */
  readonly nextAfter: string | null;
}

/** @param filter of the whole list; its index must have `_id` behind the filter's equalities */
export async function findPage<T extends { readonly _id: string }>(
  collection: mongo.Collection<T>,
  filter: mongo.Filter<T>,
  request: PageRequest,
  projection: mongo.Document,
): Promise<PageOf<T>> {
  return pageWithTotal(collection, filter, request, projection, () =>
    collection.countDocuments(filter, { limit: TOTAL_CAP + 1 }),
  );
}

/** @param count of the whole list, up to one more than `TOTAL_CAP` */
export async function pageWithTotal<T extends { readonly _id: string }>(
  collection: mongo.Collection<T>,
  filter: mongo.Filter<T>,
  request: PageRequest,
  projection: mongo.Document,
  count: () => Promise<number>,
): Promise<PageOf<T>> {
  const window = request.after === null ? filter : { $and: [filter, { _id: { $lt: request.after } }] };
  const [rows, counted] = await Promise.all([
    collection
      .find(window as mongo.Filter<T>, { projection })
      .sort({ _id: -1 })
      .skip(request.after === null ? request.page * request.size : 0)
      .limit(request.size + 1)
      .toArray() as Promise<T[]>,
    count(),
  ]);
  const items = rows.slice(0, request.size);
  return {
    items,
    total: Math.min(counted, TOTAL_CAP),
    totalCapped: counted > TOTAL_CAP,
    nextAfter: rows.length > request.size ? (items.at(-1)?._id ?? null) : null,
  };
}
