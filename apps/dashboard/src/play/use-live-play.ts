import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLiveMessages, useWatchedPlay } from '../live/live';
import { playKey } from './queries';

/** Many layers may end in one moment: they are read together. */
const TOGETHER_MS = 250;

/** Reads a play again when the stream says that something of it has changed, and at no other time. */
export function useLivePlay(id: string): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useWatchedPlay(id);
  const refresh = (): void => {
    timer.current = undefined;
    void queries.invalidateQueries({ queryKey: playKey(id) });
  };
  useLiveMessages(({ playId }) => {
    if (playId === id) timer.current ??= setTimeout(refresh, TOGETHER_MS);
  }, refresh);
  useEffect(() => () => clearTimeout(timer.current), []);
}
