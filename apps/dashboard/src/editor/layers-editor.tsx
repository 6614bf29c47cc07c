import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { atLeast } from '@weft/access';
import { flowQuery } from '../flow/queries';
import { may, useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import { Editor } from './editor';
import { modulesQuery } from './modules';

/** The layers of a flow, in the order in which they run: to look at, and for editors to change. */
export function LayersEditor({ flowId }: { readonly flowId: string }) {
  const flow = useQuery(flowQuery(flowId));
  const modules = useQuery(modulesQuery);
  const isReadOnly = !may(useMe(), atLeast('editor'));
  const error = flow.error ?? modules.error;
  if (flow.data && modules.data) {
    return <Editor key={flowId} flow={flow.data} modules={modules.data} isReadOnly={isReadOnly} />;
  }
  if (error) return <ErrorNotice error={error} onRetry={() => void Promise.all([flow.refetch(), modules.refetch()])} />;
  return <Skeleton height={240} />;
}
