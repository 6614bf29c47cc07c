import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import { liveStarted, useLiveMessages } from '../live/live';
import { firstPage, shownAll, withChanges, withPage, type ListState } from './list-state';
import type { Play } from './play';
import type { PlaysSearch } from './plays-search';
import { readPlays } from './read-plays';

const PAGE = 100;
/** Messages of one moment are one change of the page. */
const BATCH_MS = 100;

export interface LivePlays {
  readonly list: ListState | null;
  readonly error: unknown;
  readonly isLoadingMore: boolean;
  /** Reads the list anew. */
  readonly reload: () => void;
  readonly loadMore: () => void;
  readonly showAll: () => void;
}

/**
 * The list of the filter: read once, then kept by the stream. Nothing is asked for again, except pages further down and, where
 * the stream has lost its place, the first one.
 */
export function useLivePlays(search: PlaysSearch): LivePlays {
  const [list, setNow] = useState<ListState | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const arrived = useRef<Play[]>([]);
  const flushing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** One for each page that is read now: what arrives meanwhile, which the page may lack. */
  const readings = useRef(new Set<Play[]>());
  const turn = useRef(0);
  // many rows are drawn in turns, however many come
  const setList = useCallback(
    (next: (now: ListState | null) => ListState | null): void => startTransition(() => setNow(next)),
    [],
  );

  const reload = useCallback(async () => {
    const mine = (turn.current += 1);
    await liveStarted();
    const heard: Play[] = [];
    readings.current.add(heard);
    try {
      const page = await readPlays(search, { size: PAGE });
      if (turn.current !== mine) return;
      setError(null);
      setList(() => withChanges(firstPage(search, page), heard));
    } catch (thrown) {
      if (turn.current === mine) setError(thrown);
    } finally {
      readings.current.delete(heard);
    }
  }, [search, setList]);

  useEffect(() => {
    void reload();
  }, [reload]);
  useEffect(() => () => clearTimeout(flushing.current), []);

  const flush = (): void => {
    const plays = arrived.current;
    arrived.current = [];
    flushing.current = undefined;
    setList((now) => now && withChanges(now, plays));
  };
  useLiveMessages(
    ({ play }) => {
      if (!play) return;
      arrived.current.push(play);
      for (const heard of readings.current) heard.push(play);
      flushing.current ??= setTimeout(flush, BATCH_MS);
    },
    () => {
      if (list !== null) void reload();
    },
  );

  const loadMore = async (): Promise<void> => {
    // after a failure only a person asks again
    if (isLoadingMore || error !== null || !list?.nextCursor) return;
    const mine = turn.current;
    const heard: Play[] = [];
    readings.current.add(heard);
    setLoadingMore(true);
    try {
      const page = await readPlays(search, { size: PAGE, cursor: list.nextCursor });
      if (turn.current === mine) setList((now) => now && withChanges(withPage(now, page), heard));
    } catch (thrown) {
      if (turn.current === mine) setError(thrown);
    } finally {
      readings.current.delete(heard);
      startTransition(() => setLoadingMore(false));
    }
  };
  const showAll = useCallback(() => setList((now) => now && shownAll(now)), [setList]);
  return {
    list: list?.search === search ? list : null,
    error,
    isLoadingMore,
    reload: () => void reload(),
    loadMore: () => void loadMore(),
    showAll,
  };
}
