import { describe, expect, it } from 'vitest';

import { SummarySeries } from './summary-series.js';

const DESCRIPTOR = { name: 'x_seconds', help: 'x', labels: ['flow_id'] };

async function valuesOf(series: SummarySeries, name: string): Promise<Record<string, number>> {
  const { values } = await series.get();
  return Object.fromEntries(
    values.filter((sample) => sample.metricName === name).map((sample) => [sample.labels.flow_id, sample.value]),
  ) as Record<string, number>;
}

describe('SummarySeries', () => {
  it('gives the quantiles of what came last, and sum and count of everything', async () => {
    const series = new SummarySeries(DESCRIPTOR);
    const row = series.row('a');
    for (let i = 0; i < 1_000; i += 1) row.observe(1_000);
    for (let i = 1; i <= 256; i += 1) row.observe(i);
    expect(row.quantiles()).toEqual([
      { quantile: 0.5, value: 129 },
      { quantile: 0.95, value: 244 },
      { quantile: 0.99, value: 254 },
    ]);
    expect(await valuesOf(series, 'x_seconds_count')).toEqual({ a: 1_256 });
    expect(await valuesOf(series, 'x_seconds_sum')).toEqual({ a: 1_000_000 + (256 * 257) / 2 });
  });

  it('keeps the most recently used of a bounded label and folds the others into other, losing no count', async () => {
    const series = new SummarySeries(DESCRIPTOR, 2);
    for (let i = 0; i < 300; i += 1) series.row('a').observe(2);
    series.row('b').observe(1);
    series.row('a').observe(2);
    series.row('c').observe(1);
    expect(await valuesOf(series, 'x_seconds_count')).toEqual({ a: 301, c: 1, other: 1 });
    series.row('d').observe(1);
    series.row('e').observe(1);
    expect(await valuesOf(series, 'x_seconds_count')).toEqual({ d: 1, e: 1, other: 303 });
    expect(await valuesOf(series, 'x_seconds_sum')).toEqual({ d: 1, e: 1, other: 604 });
  });
});
