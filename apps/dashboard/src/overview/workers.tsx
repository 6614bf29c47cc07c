import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { Table } from '../ui/table';
import { Time } from '../ui/time';

export function Workers() {
  const { data, error } = useQuery({
    queryKey: ['queue'],
    queryFn: () => answerOf(api.GET('/api/v1/admin/queue')),
  });
  if (error) return <ErrorNotice error={error} />;
  return (
    <Table
      caption="Workers"
      columns={['Worker', 'Runs', 'Since', 'Version']}
      empty="No worker has been seen lately: plays are accepted and stored, and run when one comes."
      rows={(data?.workers ?? []).map(({ id, running, started_at, version }) => ({
        key: id,
        cells: [
          <code key="id">{id}</code>,
          <span key="runs" className="num">
            {running}
          </span>,
          <Time key="since" at={started_at} />,
          version,
        ],
      }))}
    />
  );
}
