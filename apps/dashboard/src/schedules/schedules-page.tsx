import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { NewSchedule } from './new-schedule';
import { schedulesQuery, useFreshSchedules } from './queries';
import { SchedulesTable } from './schedules-table';

/** All schedules of the company, what runs next first. */
export function SchedulesPage() {
  const { data, error, refetch } = useQuery(schedulesQuery());
  useFreshSchedules();
  return (
    <Page title="Schedules" help="docs/schedules.md" aside={<NewSchedule />}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={240} radius="md" />}
      {data && <SchedulesTable schedules={data} />}
    </Page>
  );
}
