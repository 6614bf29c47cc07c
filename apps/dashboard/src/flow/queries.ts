import type { components } from '@weft/client';
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { answerOf, api } from '../api/client';
import { isVersionConflict } from '../api/refusal';
import { showError } from '../ui/show-error';

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

/** Whether somebody has to publish the flow's last version before runs use it. */
export function isDraft({ settings, version, publishedVersion }: Flow): boolean {
  return settings.publish === 'manual' && publishedVersion !== version;
}

/** Makes a version the one that runs use, of a flow that still has the last version which was read. */
export function usePublish(flow: Flow) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (version: number) =>
      answerOf(
        api.POST('/api/v1/flows/{flowId}/publish', {
          params: { path: { flowId: flow.id }, header: ifMatch(flow) },
          body: { version },
        }),
      ),
    // the dialog that asked is closed by then
    onSuccess: (now) => {
      showChanged(queries, now);
      notifications.show({ message: `Runs use version ${now.publishedVersion} now.` });
    },
    onError: (error) => {
      showError(error);
      void queries.invalidateQueries({ queryKey: flowKey(flow.id) });
    },
  });
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
