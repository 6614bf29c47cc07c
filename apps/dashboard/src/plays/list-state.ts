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
  /** Down to this id the list is known, also where that row is gone; null where no row was read. */
  readonly lastId: string | null;
  /** By id, not shown yet. */
  readonly newer: ReadonlyMap<string, Play>;
  /** Ids of rows that no longer match. */
  readonly leaving: ReadonlySet<string>;
}

export function firstPage(search: PlaysSearch, page: PlayPage): ListState {
  const { items, nextCursor } = page;
  return { search, rows: items, nextCursor, lastId: items.at(-1)?.id ?? null, newer: new Map(), leaving: new Set() };
}

/** One more page, read by the cursor of the last. */
export function withPage(list: ListState, page: PlayPage): ListState {
  const known = new Set(list.rows.map(({ id }) => id));
  const rows = [...list.rows, ...page.items.filter(({ id }) => !known.has(id))];
  return { ...list, rows, nextCursor: page.nextCursor, lastId: page.items.at(-1)?.id ?? list.lastId };
}

/** @param plays rows of the stream, in the order of their messages */
export function withChanges(list: ListState, plays: readonly Play[]): ListState {
  const latest = new Map(plays.map((play) => [play.id, play]));
  const leaving = new Set(list.leaving);
  const newer = new Map(list.newer);
  const rows = list.rows.map((row) => {
    const play = latest.get(row.id);
    if (!play) return row;
    latest.delete(row.id);
    if (matches(play, list.search)) leaving.delete(play.id);
    else leaving.add(play.id);
    return play;
  });
  const lastId = list.nextCursor === null ? null : list.lastId;
  for (const play of latest.values()) {
    const isInReach = lastId === null || play.id >= lastId;
    if (matches(play, list.search) && isInReach) newer.set(play.id, play);
    else newer.delete(play.id);
  }
  return { ...list, rows, newer, leaving };
}

/** What `GET /plays` would answer now. */
export function shownAll(list: ListState): ListState {
  const kept = list.rows.filter(({ id }) => !list.leaving.has(id));
  const rows = [...list.newer.values(), ...kept].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return { ...list, rows, newer: new Map(), leaving: new Set() };
}

/** Newest first, as the API lists: ids begin with the time at which they were made. */
function isBefore(a: Play, b: Play): boolean {
  return a.id > b.id;
}
