import { quantileOf, type LayerTally, type Tally } from '@weft/records';
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

export interface FlowSeriesPoint extends SeriesPoint {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/** One layer of a flow, over the last 24 hours. */
export interface LayerStatsView {
  readonly ref: string;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly total_ms: number;
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

export interface OneFlowStatsView extends FlowStatsView {
  readonly series: readonly FlowSeriesPoint[];
  readonly layers: readonly LayerStatsView[];
}

export function layerStatsOf({ ref, done, failed, skipped, ms, durations }: LayerTally): LayerStatsView {
  const [p50_ms, p95_ms] = [quantileOf(durations, 0.5), quantileOf(durations, 0.95)];
  return { ref, done, failed, skipped, p50_ms, p95_ms, total_ms: ms };
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

const pointFields = {
  at: { ...time, description: 'Beginning of the minute or hour.' },
  started: { ...integer, description: 'Plays that a worker began.' },
  done: { ...integer, description: 'Plays that ended DONE or FILTERED.' },
  failed: { ...integer, description: 'Plays that ended FAIL by themselves.' },
  cancelled: { ...integer, description: 'Plays that somebody cancelled.' },
};

export const overviewSchema = named(
  'Overview',
  object<OverviewView>({
    series: listOf(object<SeriesPoint>(pointFields)),
    ...endFields,
    running: { ...integerOrNull, description: 'Plays with a worker now; null while the queue does not answer.' },
    backlog: { ...integerOrNull, description: 'Plays that could run and do not yet; null as above.' },
    oldest_ms: { ...integerOrNull, description: 'How long the one that waits longest does; null when none waits.' },
  }),
);

const flowFields = {
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
};

export const flowStatsPageSchema = pageOf('FlowFigures', named('FlowFigures', object<FlowStatsView>(flowFields)));

const { p50_ms, p95_ms } = endFields;

export const oneFlowStatsSchema = named(
  'OneFlowFigures',
  object<OneFlowStatsView>({
    ...flowFields,
    series: listOf(object<FlowSeriesPoint>({ ...pointFields, p50_ms, p95_ms })),
    layers: {
      ...listOf(
        object<LayerStatsView>({
          ref: text,
          done: { ...integer, description: 'How often the layer ended DONE.' },
          failed: { ...integer, description: 'How often it ended FAIL, also where the play went on.' },
          skipped: { ...integer, description: 'How often it did not run: SKIP or FILTERED.' },
          p50_ms,
          p95_ms,
          total_ms: { ...integer, description: 'Time of all that ended DONE or FAIL together, waits included.' },
        }),
      ),
      description: 'Layers that ended in the last 24 hours, whatever the window is. Versions are not told apart.',
    },
  }),
);
