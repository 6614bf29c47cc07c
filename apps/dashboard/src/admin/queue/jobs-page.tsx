import { Button, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { OPERATOR } from '@weft/access';
import type { components } from '@weft/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { may, useMe } from '../../session/me';
import { durationText } from '../../ui/duration';
import { ErrorNotice } from '../../ui/error-notice';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { AdminPage } from '../admin-page';
import classes from '../admin.module.css';

type Job = components['schemas']['Job'];

const KEY = ['jobs'];
const SAYS: Readonly<Record<Job['name'], string>> = {
  retention: 'deletes what is older than the policies allow',
  'audit-cache': 'writes away what the audit log has collected',
  'cache-eviction': 'empties caches of what nobody asks for',
  scheduler: 'starts plays of schedules',
};

export function JobsPage() {
  const queries = useQueryClient();
  return (
    <AdminPage
      at="/admin/jobs"
      title="Background jobs"
      aside={
        <Button variant="default" onClick={() => void queries.invalidateQueries({ queryKey: KEY })}>
          Read again
        </Button>
      }
    >
      <p className="soft">What Weft does by itself, for the whole installation.</p>
      <Jobs />
    </AdminPage>
  );
}

function Jobs() {
  const me = useMe();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await answerOf(api.GET('/api/v1/admin/jobs'))).jobs,
  });
  const run = useMutation({
    mutationFn: (name: Job['name']) =>
      answerOf(api.POST('/api/v1/admin/jobs/{name}/run', { params: { path: { name } } })),
    onError: showError,
    onSuccess: () => notifications.show({ message: 'It runs as soon as a scheduler takes it.' }),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} radius="md" />;
  return (
    <Table
      caption="Background jobs"
      hideCaption
      columns={['Job', 'Last', 'Result', 'Took', 'Deleted', 'Next', ...(may(me, OPERATOR) ? [''] : [])]}
      rows={data.map(({ name, last_run, status, duration_ms, entries_deleted, next_run }) => ({
        key: name,
        cells: [
          <>
            <div>{name}</div>
            <div className="soft">{SAYS[name]}</div>
          </>,
          <Time key="last" at={last_run} fallback="never" />,
          <span key="status" className={status === 'failed' ? classes.bad : status === 'ok' ? classes.good : ''}>
            {status}
          </span>,
          duration_ms === null ? '–' : durationText(duration_ms),
          <span key="deleted" className="num">
            {entries_deleted.toLocaleString()}
          </span>,
          <Time key="next" at={next_run} />,
          ...(may(me, OPERATOR)
            ? [
                <Button key="run" variant="default" loading={run.isPending} onClick={() => run.mutate(name)}>
                  Run now
                </Button>,
              ]
            : []),
        ],
      }))}
    />
  );
}
