import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useLiveMessages } from '../live/live';

/** In ms: between two readings while plays move, and, while none moves, before the first and at the most. */
const PAUSES = { moved: 700, first: 1_000, most: 15_000 } as const;

/**
 * Reads the progress of what runs again when plays have moved. The stream says nothing of plays that an operation leaves as
 * they are: where it is silent, one reading follows the other after growing pauses, until the operation has ended.
 *
 * @param readAt when it was last read, or could not be
 */
export function useFreshProgress(queryKey: QueryKey, isRunning: boolean, readAt: number): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const pauseMs = useRef<number>(PAUSES.first);
  const read = (): void => void queries.invalidateQueries({ queryKey });
  const readLater = useEffectEvent((ms: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(read, ms);
  });
  useLiveMessages(({ play }) => {
    if (!play || !isRunning) return;
    pauseMs.current = PAUSES.first;
    clearTimeout(timer.current);
    timer.current = setTimeout(read, Math.max(0, readAt + PAUSES.moved - Date.now()));
  }, read);
  useEffect(() => {
    if (!isRunning) return undefined;
    readLater(pauseMs.current);
    pauseMs.current = Math.min(PAUSES.most, pauseMs.current * 2);
    return () => clearTimeout(timer.current);
  }, [isRunning, readAt]);
}
