import { describe, expect, it } from 'vitest';
import { bucketOf, quantileOf } from './duration-buckets.js';

function counted(durations: readonly number[]): Record<string, number> {
  const buckets: Record<string, number> = {};
  for (const ms of durations) buckets[bucketOf(ms)] = (buckets[bucketOf(ms)] ?? 0) + 1;
  return buckets;
}

describe('duration buckets', () => {
  it.each([1, 7, 42, 999, 61_000, 86_400_000, 3e10])('give %d ms back within a tenth', (ms) => {
    const read = quantileOf(counted([ms]), 0.5) ?? 0;
    expect(Math.abs(read - ms) / ms).toBeLessThanOrEqual(0.1);
  });

  it('give the median and the 95th of a hundred', () => {
    const buckets = counted(Array.from({ length: 100 }, (_, i) => i + 1));
    const [p50, p95] = [quantileOf(buckets, 0.5) ?? 0, quantileOf(buckets, 0.95) ?? 0];
    expect(Math.abs(p50 - 50)).toBeLessThanOrEqual(5);
    expect(Math.abs(p95 - 95)).toBeLessThanOrEqual(9.5);
  });

  it('know nothing of nothing, and take what is shorter than a millisecond for none', () => {
    expect(quantileOf({}, 0.5)).toBeNull();
    expect(quantileOf(counted([0, 0.4]), 0.95)).toBe(0);
  });

  it('are no more than 161, however long a play ran', () => {
    expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(160);
  });
});
