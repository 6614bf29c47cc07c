import type { components } from '@weft/client';
import type { Figure } from '../ui/figures';
import { durationText } from '../ui/duration';

export type Overview = components['schemas']['Overview'];

const RECENT_BUCKETS = 5;
/** Longer than moving plays leave them unread. */
const OLD_MS = 20_000;
const GOOD_SHARE = 0.95;
const NONE = '–';

/** What the window tells, as a person asks for it. */
export function figuresOf(data: Overview | undefined): readonly Figure[] {
  const done = data?.series.reduce((sum, each) => sum + each.done, 0) ?? 0;
  const failed = data?.series.reduce((sum, each) => sum + each.failed, 0) ?? 0;
  const cancelled = data?.series.reduce((sum, each) => sum + each.cancelled, 0) ?? 0;
  const took = (ms: number | null | undefined): string | null =>
    data === undefined ? null : ms == null ? NONE : durationText(ms);
  const count = (n: number | null | undefined): string | null =>
    data === undefined ? null : n == null ? NONE : n.toLocaleString();
  const share = data?.success_rate;
  return [
    {
      name: 'Ended',
      value: count(done + failed + cancelled),
      note: `${done.toLocaleString()} well, ${failed.toLocaleString()} failed${
        cancelled > 0 ? `, ${cancelled.toLocaleString()} cancelled` : ''
      }`,
    },
    {
      name: 'Success',
      value: data === undefined ? null : share == null ? NONE : `${(share * 100).toFixed(share === 1 ? 0 : 1)} %`,
      note: 'of those that ended, without cancelled ones',
      isBad: share != null && share < GOOD_SHARE,
    },
    { name: 'Median', value: took(data?.p50_ms), note: 'from start to end' },
    { name: '95th percentile', value: took(data?.p95_ms), note: '95 in 100 took no longer' },
    { name: 'Running', value: count(data?.running), note: 'with a worker now' },
    {
      name: 'Backlog',
      value: count(data?.backlog),
      note: drainText(data),
      isBad: (data?.backlog ?? 0) > 0 && rateOf(data) === 0,
    },
  ];
}

/** How old the figures are, where plays wait or run and yet no message has made them be read again. */
export function ageText(data: Overview, readAtMs: number, nowMs: number): string | null {
  const ageMs = nowMs - readAtMs;
  const isAtWork = (data.running ?? 0) > 0 || (data.backlog ?? 0) > 0;
  return isAtWork && ageMs >= OLD_MS ? `These figures are ${durationText(ageMs)} old.` : null;
}

/** Plays that end in a second, by the last buckets. */
function rateOf(data: Overview | undefined): number {
  const last = data?.series.slice(-RECENT_BUCKETS) ?? [];
  const [first, second] = last;
  if (!first || !second) return 0;
  const bucketMs = Date.parse(second.at) - Date.parse(first.at);
  const ended = last.reduce((sum, { done, failed }) => sum + done + failed, 0);
  return (ended / (bucketMs * last.length)) * 1_000;
}

function drainText(data: Overview | undefined): string {
  if (data?.backlog == null) return 'the queue does not answer';
  if (data.backlog === 0) return 'nothing waits for a worker';
  const oldest = data.oldest_ms === null ? '' : `oldest ${durationText(data.oldest_ms)}`;
  const rate = rateOf(data);
  if (rate === 0) return `${oldest}, nothing ends`;
  return `${oldest}, gone in ${durationText((data.backlog / rate) * 1_000)}`;
}
