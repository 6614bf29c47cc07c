import { useQuery } from '@tanstack/react-query';
import { flowQuery } from '../flow/queries';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Table } from '../ui/table';

/** The layers of a flow, in the order in which they run. */
export function LayersEditor({ flowId }: { readonly flowId: string }) {
  const { data: flow, error } = useQuery(flowQuery(flowId));
  if (error) return <ErrorNotice error={error} />;
  if (!flow) return null;
  const layers = flow.layers ?? [];
  if (layers.length === 0) {
    return (
      <EmptyState title="No layer yet">
        <p>A play of this flow ends at once.</p>
      </EmptyState>
    );
  }
  return (
    <Table
      caption="Layers"
      hideCaption
      columns={['Ref', 'Name', 'Module', 'Stage', 'When']}
      rows={layers.map(({ id, ref, name, appId, stage, when }) => ({
        key: id,
        cells: [
          <code key="ref">{ref}</code>,
          name,
          appId,
          stage ?? '',
          when === null ? '' : <code key="w">{when}</code>,
        ],
      }))}
    />
  );
}
