import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { useReadAgain } from '../../live/use-read-again';
import { durationText } from '../../ui/duration';
import { ErrorNotice } from '../../ui/error-notice';
import { Figures } from '../../ui/figures';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { AdminPage } from '../admin-page';

/** Figures are read again when plays have moved, at most this often. */
const FRESH_MS = 5_000;
const HOUR_MS = 3_600_000;

export function QueuePage() {
  return (
    <AdminPage at="/admin/queue" title="Queue">
      <Queue />
    </AdminPage>
  );
}

function Queue() {
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['queue'],
    queryFn: () => answerOf(api.GET('/api/v1/admin/queue')),
  });
  useFreshQueue();
  const [anHourAgo] = useState(() => new Date(Date.now() - HOUR_MS).toISOString());
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} radius="md" />;
  const { backlog, shards, workers, companies } = data;
  const oldest = Math.max(-1, ...shards.map(({ oldest_ms }) => oldest_ms ?? -1));
  const active = shards.reduce((sum, shard) => sum + shard.active, 0);
  return (
    <>
      <Figures
        figures={[
          { name: 'Backlog', value: backlog.toLocaleString(), note: 'plays that wait for a worker, of all companies' },
          { name: 'Oldest', value: oldest < 0 ? '–' : durationText(oldest), note: 'has waited that long' },
          { name: 'At work', value: active.toLocaleString(), note: 'plays with a worker now' },
          { name: 'Workers', value: String(workers.length), note: 'seen lately', isBad: workers.length === 0 },
        ]}
      />
      <p className="soft">
        As of <Time at={new Date(dataUpdatedAt).toISOString()} />. Stuck?{' '}
        <Link to="/plays" search={{ state: ['RUN'], to: anHourAgo }}>
          Running, accepted over an hour ago
        </Link>
        ,{' '}
        <Link to="/plays" search={{ state: ['NEW'], to: anHourAgo }}>
          not started since over an hour
        </Link>
        ,{' '}
        <Link to="/plays" search={{ retrying: 'true' }}>
          retrying
        </Link>
        .
      </p>
      {companies.length > 0 && (
        <Table
          caption="Companies with the most plays that wait"
          columns={['Company', 'Waiting']}
          empty="None."
          rows={companies.map(({ company_id, name, waiting, capped }) => ({
            key: company_id,
            cells: [
              name,
              <span key="waiting" className="num">
                {capped ? `over ${waiting.toLocaleString()}` : waiting.toLocaleString()}
              </span>,
            ],
          }))}
        />
      )}
      <Table
        caption="Shards"
        columns={['Shard', 'Waiting', 'Active', 'Oldest']}
        empty="No shard."
        rows={shards.map((shard) => ({
          key: shard.name,
          cells: [
            <code key="name">{shard.name}</code>,
            <span key="waiting" className="num">
              {shard.waiting.toLocaleString()}
            </span>,
            <span key="active" className="num">
              {shard.active.toLocaleString()}
            </span>,
            shard.oldest_ms === null ? '–' : durationText(shard.oldest_ms),
          ],
        }))}
      />
      <Table
        caption="Workers"
        columns={['Worker', 'Label', 'Runs', 'Since', 'Seen', 'Version']}
        empty="No worker has been seen lately: plays are accepted and stored, and run when one comes."
        rows={workers.map(({ id, label, running, started_at, seen_at, version }) => ({
          key: id,
          cells: [
            <code key="id">{id}</code>,
            label ?? '–',
            <span key="runs" className="num">
              {running}
            </span>,
            <Time key="since" at={started_at} />,
            <Time key="seen" at={seen_at} />,
            version ?? '–',
          ],
        }))}
      />
    </>
  );
}

function useFreshQueue(): void {
  useReadAgain([['queue']], ({ play }) => play !== undefined, FRESH_MS);
}
