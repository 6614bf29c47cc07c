import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { FlowName } from '../flows/flow-name';
import { cronWords } from '../schedules/cron-words';
import { ErrorNotice } from '../ui/error-notice';
import { StateBadge } from '../ui/state-badge';
import { Table } from '../ui/table';
import { Time } from '../ui/time';

const SHOWN = 6;

export function NextSchedules() {
  const { data, error } = useQuery({
    queryKey: ['schedules'],
    queryFn: async () => (await answerOf(api.GET('/api/v1/scheduler/jobs'))).jobs,
  });
  if (error) return <ErrorNotice error={error} />;
  const next = (data ?? [])
    .filter(({ enabled, next_run }) => enabled && next_run !== null)
    .sort((a, b) => (a.next_run ?? '').localeCompare(b.next_run ?? ''))
    .slice(0, SHOWN);
  return (
    <Table
      caption="Next schedules"
      columns={['Flow', 'Schedule', 'Next', 'Last result']}
      empty="No schedule is enabled."
      rows={next.map(({ id, flow_id, schedule, next_run, last_status }) => ({
        key: id,
        cells: [
          <FlowName key="flow" id={flow_id} tab="schedules" />,
          cronWords(schedule) ?? <code key="schedule">{schedule}</code>,
          <Time key="next" at={next_run} />,
          last_status === null ? 'never ran' : <StateBadge key="last" state={last_status} />,
        ],
      }))}
    />
  );
}
