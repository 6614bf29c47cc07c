import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLiveMessages } from './live';
import type { LiveMessage } from './live-socket';
import { readAgain } from './read-again';

/**
 * Reads queries again when the stream says that something of them has changed, and after it was cut: not by the clock.
 *
 * @param isAbout whether a message is about them
 * @param afterMs changes within this time are read together
 */
export function useReadAgain(
  keys: readonly QueryKey[],
  isAbout: (message: LiveMessage) => boolean,
  afterMs: number,
): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const refresh = (): void => {
    timer.current = undefined;
    for (const queryKey of keys) void readAgain(queries, queryKey);
  };
  useLiveMessages((message) => {
    if (isAbout(message)) timer.current ??= setTimeout(refresh, afterMs);
  }, refresh);
  const ofWhat = JSON.stringify(keys);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [ofWhat],
  );
}
