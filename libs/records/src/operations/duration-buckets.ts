/**
 * Durations in logarithmic buckets, four to each doubling: what is read back is at most 10 % off, from 1 ms to years, and
 * histograms of any minutes, flows and processes add up.
 */
const PER_DOUBLING = 4;
const LAST = 160;

/** Counts by bucket; those without any are left out. */
export type DurationBuckets = Readonly<Record<string, number>>;

/** @param ms 0 and more */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.min(LAST, 1 + Math.floor(PER_DOUBLING * Math.log2(ms)));
}

/** Whole milliseconds at the given share (0 to 1) of all that is counted; null when nothing is. */
export function quantileOf(buckets: DurationBuckets, share: number): number | null {
  const counted = Object.entries(buckets)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b);
  let left = share * counted.reduce((sum, [, count]) => sum + count, 0);
  for (const [bucket, count] of counted) {
    left -= count;
    if (left <= 0) return middleOf(bucket);
  }
  return null;
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.round(2 ** ((bucket - 0.5) / PER_DOUBLING));
}
