import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerOf, api } from '../api/client';
import { liveStarted, useLiveMessages } from '../live/live';
import { inPlace, keyOf, type OpenApproval } from './open-approvals';

export const INBOX_KEY = ['approvals'] as const;
const PAGE = 50;
/** Messages of one moment are one reading. */
const BATCH_MS = 500;

interface Inbox {
  /** Null while they are read. */
  readonly approvals: readonly OpenApproval[] | null;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

/** @param mine those that the caller may decide; else all */
export function useInbox(mine: boolean): Inbox {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [...INBOX_KEY, mine],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam: cursor }) => {
      await liveStarted();
      const query = { size: PAGE, ...(mine && { mine: 'true' as const }), ...(cursor !== null && { cursor }) };
      return answerOf(api.GET('/api/v1/approvals', { params: { query } }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const [shown, setShown] = useState<readonly string[]>([]);
  const approvals = data
    ? inPlace(
        shown,
        data.pages.flatMap(({ items }) => items),
      )
    : null;
  const keys = approvals?.map(keyOf) ?? shown;
  if (keys.join('\n') !== shown.join('\n')) setShown(keys);
  return {
    approvals,
    error,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    more: () => void fetchNextPage(),
    reload: () => void refetch(),
  };
}

/** Reads the inbox again when a play has begun to wait, or waits no longer. */
export function useFreshInbox(): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const refresh = (): void => {
    const isReading = queries.isFetching({ queryKey: INBOX_KEY }) > 0;
    timer.current = isReading ? setTimeout(refresh, BATCH_MS) : undefined;
    if (!isReading) void queries.invalidateQueries({ queryKey: INBOX_KEY });
  };
  const later = (): void => {
    timer.current ??= setTimeout(refresh, BATCH_MS);
  };
  useLiveMessages(({ play, oldState }) => {
    if (play && (play.state === 'WAIT' || oldState === 'WAIT')) later();
  }, later);
  useEffect(() => () => clearTimeout(timer.current), []);
}
