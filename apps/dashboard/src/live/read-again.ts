import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Reads what has changed again. A first read that is under way may have begun before the change, and is not begun anew by an
 * invalidation: it is followed by another one.
 */
export async function readAgain(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const first = queries
    .getQueryCache()
    .findAll({ queryKey, predicate: ({ state }) => state.data === undefined && state.fetchStatus !== 'idle' });
  void queries.invalidateQueries({ queryKey });
  if (first.length === 0) return;
  await Promise.allSettled(first.flatMap(({ promise }) => promise ?? []));
  void queries.invalidateQueries({ queryKey });
}
