import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { flowQuery } from '../flow/queries';
import { rightsOn } from '../flow/rights';
import { useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import { Editor } from './editor';
import { modulesQuery } from './modules';

export { ArgsForm, firstArgsOf } from './args-form';

/** The layers of a flow, in the order in which they run: to look at, and for those who may edit it to change. */
export function LayersEditor({ flowId }: { readonly flowId: string }) {
  const me = useMe();
  const flow = useQuery(flowQuery(flowId));
  const modules = useQuery(modulesQuery);
  const error = flow.error ?? modules.error;
  if (flow.data && modules.data) {
    const { edit, execute } = rightsOn(me, flow.data);
    return <Editor key={flowId} flow={flow.data} modules={modules.data} isReadOnly={!edit} mayRun={execute} />;
  }
  if (error) return <ErrorNotice error={error} onRetry={() => void Promise.all([flow.refetch(), modules.refetch()])} />;
  return <Skeleton height={240} />;
}
