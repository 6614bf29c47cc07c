import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useReadAgain } from '../../live/use-read-again';
import { WINDOWS } from '../../overview/overview-search';
import { durationText } from '../../ui/duration';
import { ErrorNotice } from '../../ui/error-notice';
import { Figures, type Figure } from '../../ui/figures';
import type { Flow } from '../queries';
import { figuresKey, figuresQuery, type OneFlowFigures } from './queries';
import { TimeByLayer } from './time-by-layer';
import classes from './figures.module.css';

const Throughput = lazy(async () => ({ default: (await import('../../overview/throughput')).Throughput }));
const Durations = lazy(async () => ({ default: (await import('./durations')).Durations }));

const FRESH_MS = 10_000;
const GOOD_SHARE = 0.95;

/** How the plays of a flow ended and how long they took, and which of its layers take the time. */
export function FiguresTab({ flow }: { readonly flow: Flow }) {
  const { window = '24h' } = useSearch({ from: '/shell/flows/$flowId' });
  const navigate = useNavigate({ from: '/flows/$flowId' });
  const { data, error, refetch } = useQuery(figuresQuery(flow.id, window));
  useReadAgain([figuresKey(flow.id)], ({ play }) => play?.flowId === flow.id, FRESH_MS);
  const place = <div className={`panel ${classes.place ?? ''}`} />;
  return (
    <div className={classes.all}>
      <div className={classes.head}>
        <SegmentedControl
          aria-label="Window"
          data={WINDOWS.map(([value, label]) => ({ value, label }))}
          value={window}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, window: value }), replace: true, resetScroll: false })
          }
        />
      </div>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Figures figures={figuresOf(data)} />
      <div className={classes.charts}>
        <Suspense fallback={place}>
          {data ? (
            <>
              <Throughput series={data.series} window={window} />
              <Durations series={data.series} />
            </>
          ) : (
            place
          )}
        </Suspense>
      </div>
      {data && <TimeByLayer layers={flow.layers ?? []} figures={data.layers} />}
    </div>
  );
}

function figuresOf(data: OneFlowFigures | undefined): readonly Figure[] {
  const value = (text: string | null): string | null => (data === undefined ? null : (text ?? '–'));
  const took = (ms: number | null | undefined): string | null => value(ms == null ? null : durationText(ms));
  const { plays = 0, failed = 0, cancelled = 0, success_rate: rate = null } = data ?? {};
  return [
    {
      name: 'Ended',
      value: value(plays.toLocaleString()),
      note: `${failed.toLocaleString()} failed, ${cancelled.toLocaleString()} cancelled`,
    },
    {
      name: 'Success',
      value: value(rate === null ? null : `${(rate * 100).toFixed(rate === 1 ? 0 : 1)} %`),
      note: 'of those that ended, without cancelled ones',
      isBad: rate !== null && rate < GOOD_SHARE,
    },
    { name: 'Median', value: took(data?.p50_ms), note: 'from start to end' },
    { name: '95th percentile', value: took(data?.p95_ms), note: '95 in 100 took no longer' },
  ];
}
