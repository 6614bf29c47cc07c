import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';

const PAGE = 200;
/** Beyond this many flows, names of others are read one by one where they are needed. */
const MAX_PAGES = 5;

export const flowNamesQuery = queryOptions({
  queryKey: ['flows', 'names'],
  staleTime: Infinity,
  queryFn: async () => {
    const names = new Map<string, string>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { size: PAGE, ...(cursor !== undefined && { cursor }) };
      const { items, nextCursor } = await answerOf(api.GET('/api/v1/flows', { params: { query } }));
      for (const { id, name } of items) names.set(id, name);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    return names;
  },
});

/** The name of a flow; its id until the name is known, or where the flow was deleted. */
export function useFlowName(id: string): string {
  const names = useQuery(flowNamesQuery);
  const known = names.data?.get(id);
  const one = useQuery({
    queryKey: ['flows', 'name', id],
    enabled: names.isSuccess && known === undefined,
    retry: false,
    staleTime: Infinity,
    queryFn: async () => (await answerOf(api.GET('/api/v1/flows/{id}', { params: { path: { id } } }))).name,
  });
  return known ?? one.data ?? id;
}
