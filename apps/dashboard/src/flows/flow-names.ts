import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { firstPages } from '../api/first-pages';

/** Of the first 1,000 flows; names of others are read one by one where they are needed. */
export const flowNamesQuery = queryOptions({
  queryKey: ['flows', 'names'],
  staleTime: Infinity,
  queryFn: async () => {
    const all = await firstPages((query) => answerOf(api.GET('/api/v1/flows', { params: { query } })));
    return new Map(all.map(({ id, name }) => [id, name]));
  },
});

export function useFlowNames(): ReadonlyMap<string, string> {
  return useQuery(flowNamesQuery).data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

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
