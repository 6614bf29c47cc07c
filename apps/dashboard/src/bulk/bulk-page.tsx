import { Button, Skeleton } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { may, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { ACTIONS, BULKS_KEY } from './bulk';
import { BulkProgress } from './bulk-progress';
import { useFreshProgress } from './use-fresh-progress';

const PAGE = 50;
const STATES = { running: 'running', done: 'done', aborted: 'stopped' } as const;

/** What was started over many plays at once, newest first. */
export function BulkPage() {
  const isEditor = may(useMe(), atLeast('editor'));
  return (
    <Page
      title="Bulk operations"
      help="docs/dashboard.md#filters-export-and-many-plays-at-once"
      aside={<Link to="/plays">Plays</Link>}
    >
      {isEditor ? <Bulks /> : <EmptyState title="Bulk operations are for flow editors and admins" />}
    </Page>
  );
}

function Bulks() {
  const { data, dataUpdatedAt, errorUpdatedAt, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: BULKS_KEY,
      initialPageParam: null as string | null,
      queryFn: ({ pageParam: cursor }) => {
        const query = { size: PAGE, ...(cursor !== null && { cursor }) };
        return answerOf(api.GET('/api/v1/bulk', { params: { query } }));
      },
      getNextPageParam: ({ nextCursor }) => nextCursor,
    });
  const bulks = data?.pages.flatMap(({ items }) => items) ?? [];
  useFreshProgress(
    BULKS_KEY,
    bulks.some(({ state }) => state === 'running'),
    Math.max(dataUpdatedAt, errorUpdatedAt),
  );
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} radius="md" />;
  return (
    <>
      <Table
        caption="Bulk operations"
        hideCaption
        columns={['Started', 'What', 'State', 'Ended', 'How far']}
        empty="None yet. Select plays in the list, or all that match a filter, and cancel or retry them together."
        rows={bulks.map((bulk) => ({
          key: bulk.id,
          cells: [
            <Time key="at" at={bulk.createdAt} />,
            ACTIONS[bulk.action]?.does ?? bulk.action,
            STATES[bulk.state],
            <Time key="ended" at={bulk.completedAt} />,
            <BulkProgress key="progress" bulk={bulk} />,
          ],
        }))}
      />
      {hasNextPage && (
        <div>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            More
          </Button>
        </div>
      )}
    </>
  );
}
