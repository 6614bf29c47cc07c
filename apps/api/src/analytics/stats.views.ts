import { quantileOf, type Tally } from '@weft/records';
import {
  integer,
  integerOrNull,
  listOf,
  named,
  numberOrNull,
  object,
  pageOf,
  text,
  time,
  timeOrNull,
} from '../http/schema.js';

/** Of plays that ended. */
export interface EndStats {
  readonly success_rate: number | null;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface SeriesPoint {
  readonly at: string;
  readonly started: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface OverviewView extends EndStats {
  readonly series: readonly SeriesPoint[];
  readonly running: number | null;
  readonly backlog: number | null;
  readonly oldest_ms: number | null;
}

export interface FlowStatsView extends EndStats {
  readonly id: string;
  readonly flowId: string;
  readonly name: string;
  readonly plays: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly last_play: string | null;
}

export function endStatsOf({ done, failed, durations }: Tally): EndStats {
  const ended = done + failed;
  return {
    success_rate: ended === 0 ? null : done / ended,
    p50_ms: quantileOf(durations, 0.5),
    p95_ms: quantileOf(durations, 0.95),
  };
}

const endFields = {
  success_rate: {
    ...numberOrNull,
    description: 'done / (done + failed), 0 to 1; null when none ended otherwise than cancelled.',
  },
  p50_ms: { ...integerOrNull, description: 'Median of the time from start to end, to within a tenth.' },
  p95_ms: { ...integerOrNull, description: 'The same of which 95 in 100 took no longer.' },
};

export const overviewSchema = named(
  'Overview',
  object<OverviewView>({
    series: listOf(
      object<SeriesPoint>({
        at: { ...time, description: 'Beginning of the minute or hour.' },
        started: { ...integer, description: 'Plays that a worker began.' },
        done: { ...integer, description: 'Plays that ended DONE or FILTERED.' },
        failed: { ...integer, description: 'Plays that ended FAIL by themselves.' },
        cancelled: { ...integer, description: 'Plays that somebody cancelled.' },
      }),
    ),
    ...endFields,
    running: { ...integerOrNull, description: 'Plays with a worker now; null while the queue does not answer.' },
    backlog: { ...integerOrNull, description: 'Plays that could run and do not yet; null as above.' },
    oldest_ms: { ...integerOrNull, description: 'How long the one that waits longest does; null when none waits.' },
  }),
);

export const flowStatsPageSchema = pageOf(
  'FlowFigures',
  named(
    'FlowFigures',
    object<FlowStatsView>({
      id: text,
      flowId: text,
      name: text,
      plays: {
        ...integer,
        description: 'Plays that ended in the window; those that were turned away are not counted.',
      },
      failed: { ...integer, description: 'Those that ended FAIL by themselves.' },
      cancelled: { ...integer, description: 'Those that somebody cancelled; success_rate leaves them out.' },
      ...endFields,
      last_play: { ...timeOrNull, description: 'When the last of them ended.' },
    }),
  ),
);
