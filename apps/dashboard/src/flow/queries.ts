import type { components } from '@weft/client';
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { isVersionConflict } from '../api/refusal';

export type Flow = components['schemas']['Flow'];
export type FlowPatch = components['schemas']['UpdateFlowBody'];

/** All that is read about one flow begins with this: a change of the flow makes all of it old. */
export const flowKey = (id: string) => ['flow', id] as const;

export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: [...flowKey(id), 'head'],
    queryFn: () => answerOf(api.GET('/api/v1/flows/{id}', { params: { path: { id } } })),
  });

/** The header by which a change is refused when somebody else was faster. */
export const ifMatch = ({ version }: Flow) => ({ 'If-Match': `"${version}"` });

/** After a change: the flow as it is now, and everything that depends on it read again. */
export function showChanged(queries: QueryClient, flow: Flow): void {
  // the answer to a change does not say what its caller may do
  queries.setQueryData(flowQuery(flow.id).queryKey, (before) => ({ ...flow, permissions: before?.permissions }));
  void queries.invalidateQueries({ queryKey: [...flowKey(flow.id), 'versions'] });
  void queries.invalidateQueries({ queryKey: ['flows'] });
  void queries.invalidateQueries({ queryKey: ['schedules'] });
}

/** Changes fields of a flow that still has the version which was read. */
export function useFlowChange(flow: Flow) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: FlowPatch) =>
      answerOf(api.PATCH('/api/v1/flows/{id}', { params: { path: { id: flow.id }, header: ifMatch(flow) }, body })),
    onSuccess: (now) => showChanged(queries, now),
    // somebody else was faster: the next attempt is for the flow as it is now
    onError: (error) => {
      if (isVersionConflict(error)) void queries.invalidateQueries({ queryKey: flowKey(flow.id) });
    },
  });
}
