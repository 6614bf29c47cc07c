import { SegmentedControl } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { answerOf, api } from '../api/client';
import { useReadAgain } from '../live/use-read-again';
import { may, useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import { useNow } from '../ui/now';
import { Figures } from '../ui/figures';
import { Page } from '../ui/page';
import { Failures } from './failures';
import { ageText, figuresOf, type Overview } from './figures';
import { FirstSteps } from './first-steps';
import { NextSchedules } from './next-schedules';
import { WINDOWS } from './overview-search';
import { Workers } from './workers';
import classes from './overview.module.css';

const Throughput = lazy(async () => ({ default: (await import('./throughput')).Throughput }));

/** Figures are read again when plays have moved, at most this often. */
const FRESH_MS = 10_000;

export function OverviewPage() {
  const me = useMe();
  const { window = '1h' } = useSearch({ from: '/shell/overview' });
  const navigate = useNavigate();
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['overview', window],
    queryFn: () => answerOf(api.GET('/api/v1/analytics/overview', { params: { query: { window } } })),
  });
  useFreshFigures();
  const choose = (
    <SegmentedControl
      aria-label="Window"
      data={WINDOWS.map(([value, label]) => ({ value, label }))}
      value={window}
      onChange={(value) => void navigate({ to: '/overview', search: { window: value } })}
    />
  );
  return (
    <Page title="Overview" help="docs/figures.md" aside={choose}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <FirstSteps />
      <Figures figures={figuresOf(data)} />
      {data && <Age data={data} readAtMs={dataUpdatedAt} />}
      <Suspense fallback={<div className={`panel ${classes.chartPlace ?? ''}`} />}>
        {data ? (
          <Throughput series={data.series} window={window} />
        ) : (
          <div className={`panel ${classes.chartPlace ?? ''}`} />
        )}
      </Suspense>
      <div className={classes.columns}>
        <Failures />
        <div>
          <NextSchedules />
          {may(me, atLeast('admin')) && <Workers />}
        </div>
      </div>
    </Page>
  );
}

/** Where plays wait and nothing moves, the figures stand still: they say since when. */
function Age({ data, readAtMs }: { readonly data: Overview; readonly readAtMs: number }) {
  const text = ageText(data, readAtMs, useNow());
  return text === null ? null : <p className="soft">{text}</p>;
}

/** Reads the figures again after plays have moved: not by the clock, and never more often than they change visibly. */
function useFreshFigures(): void {
  useReadAgain([['overview'], ['queue'], ['schedules']], ({ play }) => play !== undefined, FRESH_MS);
}
