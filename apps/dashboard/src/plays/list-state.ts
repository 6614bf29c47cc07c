import type { Play, PlayPage } from './play';
import { matches, type PlaysSearch } from './plays-search';

/**
 * The rows of the list, newest first. A change of a shown play is shown in its place. Plays that are new, or that no longer
 * belong, wait until somebody asks for them: rows do not move under the pointer.
 */
export interface ListState {
  readonly search: PlaysSearch;
  readonly rows: readonly Play[];
  readonly nextCursor: string | null;
  /** Down to this place the list is known, also where that row is gone; null where no row was read. */
  readonly lastPlace: string | null;
  /** By id, not shown yet. */
  readonly newer: ReadonlyMap<string, Play>;
  /** Ids of rows that no longer match. */
  readonly leaving: ReadonlySet<string>;
}

export function firstPage(search: PlaysSearch, page: PlayPage): ListState {
  const { items, nextCursor } = page;
  const lastPlace = lastPlaceOf(items, search);
  return { search, rows: items, nextCursor, lastPlace, newer: new Map(), leaving: new Set() };
}

/** One more page, read by the cursor of the last. */
export function withPage(list: ListState, page: PlayPage): ListState {
  const known = new Set(list.rows.map(({ id }) => id));
  const rows = [...list.rows, ...page.items.filter(({ id }) => !known.has(id))];
  const lastPlace = lastPlaceOf(page.items, list.search) ?? list.lastPlace;
  return { ...list, rows, nextCursor: page.nextCursor, lastPlace };
}

/** @param plays rows of the stream, in the order of their messages */
export function withChanges(list: ListState, plays: readonly Play[]): ListState {
  const { search } = list;
  const latest = new Map(plays.map((play) => [play.id, play]));
  const leaving = new Set(list.leaving);
  const newer = new Map(list.newer);
  // a row of the stream does not say what its retry is: the retry does
  const retries = new Map(plays.flatMap((play) => (play.retryOf === null ? [] : [[play.retryOf, play] as const])));
  const rows = list.rows.map((row) => {
    const changed = latest.get(row.id);
    const retry = retries.get(row.id);
    if (!changed && !retry) return row;
    latest.delete(row.id);
    const retriedBy = retry ? { playId: retry.id, state: retry.state } : row.retriedBy;
    const play: Play = { ...(changed ?? row), retriedBy };
    if (matches(play, search)) leaving.delete(play.id);
    else leaving.add(play.id);
    return play;
  });
  const lastPlace = list.nextCursor === null ? null : list.lastPlace;
  for (const play of latest.values()) {
    const isInReach = lastPlace === null || placeOf(play, search) >= lastPlace;
    if (matches(play, search) && isInReach) newer.set(play.id, play);
    else newer.delete(play.id);
  }
  return { ...list, rows, newer, leaving };
}

/** What `GET /plays` would answer now. */
export function shownAll(list: ListState): ListState {
  const kept = list.rows.filter(({ id }) => !list.leaving.has(id));
  const { search } = list;
  const rows = [...list.newer.values(), ...kept].sort((a, b) => (placeOf(a, search) > placeOf(b, search) ? -1 : 1));
  return { ...list, rows, newer: new Map(), leaving: new Set() };
}

/** Where a play is in the order of the list, the largest first. Ids begin with the time at which they were made. */
function placeOf({ id, completedAt }: Play, { sort }: PlaysSearch): string {
  return sort === undefined ? id : `${completedAt ?? ''} ${id}`;
}

function lastPlaceOf(items: readonly Play[], search: PlaysSearch): string | null {
  const last = items.at(-1);
  return last === undefined ? null : placeOf(last, search);
}
