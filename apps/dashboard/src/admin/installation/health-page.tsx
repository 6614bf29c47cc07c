import { Button, Skeleton } from '@mantine/core';
import { atLeast, OPERATOR } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { may, useMe } from '../../session/me';
import { ErrorNotice } from '../../ui/error-notice';
import { Facts } from '../../ui/facts';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { AdminPage } from '../admin-page';
import { readHealth } from './read-health';
import { leftText, seenText, skewText } from './health-text';
import classes from '../admin.module.css';

/** A process is seen again within two seconds. */
const AGAIN_MS = 5_000;

const DOES: Readonly<Record<string, string>> = {
  api: 'takes requests and runs, serves this page',
  worker: 'executes plays',
  realtime: 'sends live events to sockets',
  scheduler: 'fires schedules, reads sources, sends webhooks, repairs and cleans up',
  standalone: 'takes requests and serves sockets; starts the worker and the scheduler',
};

export function HealthPage() {
  const me = useMe();
  return (
    <AdminPage at="/admin/health" title="Health">
      <ThisApi />
      {may(me, OPERATOR) && <Processes />}
      {may(me, atLeast('admin')) && <Workers />}
      {may(me, atLeast('admin')) && <Retention />}
    </AdminPage>
  );
}

/** The process of the API that answered, and what it sees of the stores. */
function ThisApi() {
  const { data, error, isFetching, refetch } = useQuery({ queryKey: ['health'], queryFn: readHealth });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={180} radius="md" />;
  const { report, skewMs, wayMs } = data;
  const { database, queue, components } = report.checks;
  return (
    <section className={`panel ${classes.section}`} aria-label="The API">
      <h2>The API that answered</h2>
      <Facts
        facts={[
          ['State', <Standing key="state" isGood={report.status === 'healthy'} text={report.status} />],
          ['Version', report.version],
          ['MongoDB', <Store key="database" {...database} />],
          ['Redis', <Store key="queue" {...queue} />],
          [
            'Payload storage',
            <Standing key="storage" isGood={components.storage === 'ready'} text={components.storage} />,
          ],
          ['Clock', skewText(skewMs, wayMs)],
          ['Settings read', <Time key="settings" at={report.checks.config.loaded_at} />],
        ]}
      />
      <Button mt="md" variant="default" loading={isFetching} onClick={() => void refetch()}>
        Ask again
      </Button>
    </section>
  );
}

/** Everything that runs, whatever it is. */
function Processes() {
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['processes'],
    queryFn: () => answerOf(api.GET('/api/v1/admin/processes')),
    refetchInterval: AGAIN_MS,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} radius="md" />;
  const versions = [...new Set(data.processes.map(({ version }) => version))];
  return (
    <>
      {versions.length > 1 && <p>{versions.join(' and ')} run side by side, as during an upgrade.</p>}
      <Table
        caption="Processes"
        columns={['Process', 'Version', 'Host', 'State', 'Since', 'What it does']}
        rows={data.processes.map(({ id, name, version, host, seen_at, started_at }) => ({
          key: id,
          cells: [
            name,
            version,
            <code key="host">{host}</code>,
            seenText(seen_at, dataUpdatedAt),
            <Time key="since" at={started_at} />,
            <span key="does" className="soft">
              {DOES[name] ?? ''}
            </span>,
          ],
        }))}
      />
    </>
  );
}

function Workers() {
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['queue'],
    queryFn: () => answerOf(api.GET('/api/v1/admin/queue')),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} radius="md" />;
  return (
    <Table
      caption="Workers"
      columns={['Worker', 'Label', 'State', 'Runs', 'Since', 'Version']}
      empty="No worker has been seen lately: plays are accepted and stored, and run when one comes."
      rows={data.workers.map(({ id, label, running, seen_at, started_at, version }) => ({
        key: id,
        cells: [
          <code key="id">{id}</code>,
          label ?? '–',
          seenText(seen_at, dataUpdatedAt),
          <span key="runs" className="num">
            {running}
          </span>,
          <Time key="since" at={started_at} />,
          version ?? '–',
        ],
      }))}
    />
  );
}

/** Whether what is old goes as fast as it becomes due. */
function Retention() {
  const { data, error, refetch } = useQuery({
    queryKey: ['jobs', 'retention'],
    queryFn: () => answerOf(api.GET('/api/v1/admin/jobs/{name}', { params: { path: { name: 'retention' } } })),
    refetchInterval: AGAIN_MS,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={80} radius="md" />;
  return (
    <section className={`panel ${classes.section}`} aria-label="Retention">
      <h2>Retention</h2>
      <Facts
        facts={[
          ['State', <Standing key="state" isGood={data.status !== 'failed'} text={data.status} />],
          ['Still to delete', leftText(data)],
          ['Last run', <Time key="last" at={data.last_run} fallback="never" />],
        ]}
      />
    </section>
  );
}

interface StoreProps {
  readonly status: 'healthy' | 'unhealthy';
  readonly latency_ms?: number;
  readonly error?: string;
}

function Store({ status, latency_ms, error }: StoreProps) {
  const latency = latency_ms === undefined ? '' : `, answers in ${latency_ms} ms`;
  return <Standing isGood={status === 'healthy'} text={`${status}${latency}${error ? `: ${error}` : ''}`} />;
}

function Standing({ isGood, text }: { readonly isGood: boolean; readonly text: string }) {
  return <span className={isGood ? classes.good : classes.bad}>{text}</span>;
}
