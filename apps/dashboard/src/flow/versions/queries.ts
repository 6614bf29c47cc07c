import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { usePages } from '../../ui/use-pages';
import { flowKey } from '../queries';

const PAGE = 20;

export function useVersions(flowId: string) {
  return usePages([...flowKey(flowId), 'versions', 'list'], (cursor) => {
    const params = { path: { flowId }, query: { size: PAGE, ...cursor } };
    return answerOf(api.GET('/api/v1/flows/{flowId}/versions', { params }));
  });
}

/** Versions never change, and so do not their differences. */
export const diffQuery = (flowId: string, from: number, to: number) =>
  queryOptions({
    queryKey: [...flowKey(flowId), 'diff', from, to],
    staleTime: Infinity,
    queryFn: () => {
      const params = { path: { flowId, version: String(from) }, query: { to } };
      return answerOf(api.GET('/api/v1/flows/{flowId}/versions/{version}/diff', { params }));
    },
  });
