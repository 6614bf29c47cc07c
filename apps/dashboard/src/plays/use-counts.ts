import type { PlayState } from '@weft/contracts';
import { useEffect, useRef, useState } from 'react';
import { liveStarted, useLiveMessages } from '../live/live';
import { withMove, type Counts } from './counts';
import { filterOf, type PlaysSearch } from './plays-search';
import { readCounts } from './read-plays';

/** What moved while the counts were read may be in them or not: they are read once more when it is quiet. */
const QUIET_MS = 2_000;

/** How many plays of the filter are in each state, kept by the stream; null while they are read. */
export function useCounts(search: PlaysSearch): Counts | null {
  const { state: _, ...rest } = filterOf(search);
  const key = JSON.stringify(rest);
  const [known, setKnown] = useState<{ readonly key: string; readonly counts: Counts } | null>(null);
  const [turn, setTurn] = useState(0);
  const reading = useRef(false);
  const isDoubtful = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      await liveStarted();
      reading.current = true;
      const counts = await readCounts(JSON.parse(key) as PlaysSearch).catch(() => null);
      reading.current = false;
      if (isCurrent && counts) setKnown({ key, counts });
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [key, turn]);
  useEffect(() => () => clearTimeout(timer.current), []);
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
    // a row does not say whether the play is retrying: those counts are as they were read
    if (rest.retrying !== undefined) return;
    setKnown(
      (now) => now && { ...now, counts: withMove(now.counts, play, (oldState ?? null) as PlayState | null, rest) },
    );
  }, again);
  return known?.key === key ? known.counts : null;
}
