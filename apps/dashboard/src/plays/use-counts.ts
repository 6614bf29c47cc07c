import type { PlayState } from '@weft/contracts';
import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import { liveStarted, useLiveMessages } from '../live/live';
import { withMove, type Counts } from './counts';
import type { Play } from './play';
import { filterOf, type PlaysSearch } from './plays-search';
import { readCounts } from './read-plays';

/** What moved while the counts were read may be in them or not: they are read once more when it is quiet. */
const QUIET_MS = 2_000;
/** Messages of one moment are one change of the page. */
const BATCH_MS = 100;

type Move = readonly [play: Play, before: PlayState | null];

/** How many plays of the filter are in each state, kept by the stream; null while they are read. */
export function useCounts(search: PlaysSearch): Counts | null {
  const { state: _, ...rest } = filterOf(search);
  const key = JSON.stringify(rest);
  const [known, setKnown] = useState<{ readonly key: string; readonly counts: Counts } | null>(null);
  const [turn, setTurn] = useState(0);
  const reading = useRef(false);
  const isDoubtful = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const moves = useRef<Move[]>([]);
  const flushing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const flush = useCallback(() => {
    const arrived = moves.current;
    moves.current = [];
    clearTimeout(flushing.current);
    flushing.current = undefined;
    if (arrived.length === 0) return;
    startTransition(() => setKnown((now) => now && { ...now, counts: withMoves(now.counts, arrived, now.key) }));
  }, []);
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      await liveStarted();
      // what arrived before is counted by the server
      flush();
      reading.current = true;
      const counts = await readCounts(JSON.parse(key) as PlaysSearch).catch(() => null);
      reading.current = false;
      if (isCurrent && counts) startTransition(() => setKnown({ key, counts }));
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [key, turn, flush]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      clearTimeout(flushing.current);
    },
    [],
  );
  const again = (): void => {
    isDoubtful.current = false;
    setTurn((now) => now + 1);
  };
  useLiveMessages(({ play, oldState }) => {
    if (!play) return;
    if (reading.current) isDoubtful.current = true;
    if (isDoubtful.current) {
      clearTimeout(timer.current);
      timer.current = setTimeout(again, QUIET_MS);
    }
    // a row does not say whether the play was retrying before, or is mended: those counts are as they were read
    if (rest.retrying !== undefined || rest.mended !== undefined) return;
    moves.current.push([play, (oldState ?? null) as PlayState | null]);
    flushing.current ??= setTimeout(flush, BATCH_MS);
  }, again);
  return known?.key === key ? known.counts : null;
}

/** @param key the filter of the counts, as JSON */
function withMoves(counts: Counts, moves: readonly Move[], key: string): Counts {
  const search = JSON.parse(key) as PlaysSearch;
  return moves.reduce((now, [play, before]) => withMove(now, play, before, search), counts);
}
