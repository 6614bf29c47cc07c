import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';

interface ApiPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total: number;
  readonly totalCapped: boolean;
}

export interface Pages<T> {
  /** Null while the first page is read. */
  readonly items: readonly T[] | null;
  /** How many there are, as text: `10,000+`. */
  readonly total: string;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

/** A list of the API, page by page by its cursor. */
export function usePages<T>(
  queryKey: QueryKey,
  read: (cursor: { readonly cursor?: string }) => Promise<ApiPage<T>>,
  /** After how many milliseconds it is read again; false: it is not. */
  everyMs: (items: readonly T[]) => number | false = () => false,
): Pages<T> {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam: cursor }) => read(cursor === null ? {} : { cursor }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => everyMs(state.data?.pages.flatMap(({ items }) => items) ?? []),
  });
  const [first] = data?.pages ?? [];
  return {
    items: data ? data.pages.flatMap(({ items }) => items) : null,
    total: first ? `${first.total.toLocaleString()}${first.totalCapped ? '+' : ''}` : '',
    error,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    more: () => void fetchNextPage(),
    reload: () => void refetch(),
  };
}
