import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NewSchedule } from '../schedules/new-schedule';
import { schedulesQuery, useFreshSchedules } from '../schedules/queries';
import { SchedulesTable } from '../schedules/schedules-table';
import { ErrorNotice } from '../ui/error-notice';
import type { Flow } from './queries';
import classes from '../ui/form.module.css';

export function SchedulesTab({ flow }: { readonly flow: Flow }) {
  const { data, error } = useQuery(schedulesQuery(flow.id));
  useFreshSchedules();
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Skeleton height={160} radius="md" />;
  return (
    <div className={classes.form}>
      {data.length > 0 && (
        <div>
          <NewSchedule flowId={flow.id} />
        </div>
      )}
      <SchedulesTable schedules={data} flowId={flow.id} />
    </div>
  );
}
