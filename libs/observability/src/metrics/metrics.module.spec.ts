import { expect, it } from 'vitest';
import { Metrics } from './metrics.js';
import { metricsModule } from './metrics.module.js';

it('adds the usual metrics of a process, without a second measurement of the event loop', async () => {
  const metrics = new Metrics();
  metricsModule(metrics);
  const page = await metrics.page();
  expect(page).toMatch(/^weft_nodejs_heap_size_used_bytes \d/m);
  expect(page).toMatch(/^weft_event_loop_lag_seconds\{/m);
  expect(page).not.toContain('nodejs_eventloop_lag');
});

/** docs/operator-contract.md §2 fixes their names. */
const COUNTERS_WITHOUT_TOTAL = ['weft_ai_cost_dollars', 'weft_storage_bytes_written'];

it('names metrics as Prometheus’ linter wants them', async () => {
  const metrics = new Metrics();
  metricsModule(metrics);
  const page = await metrics.page();
  const families = [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }));
  const wrong = families.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'));
  expect(wrong.map(({ name }) => name).sort()).toEqual(COUNTERS_WITHOUT_TOTAL);
  // only summaries have quantiles, only histograms have bounds
  const types = new Map(families.map(({ name, type }) => [name, type]));
  const samples = [...page.matchAll(/^(\w+)\{.*\b(quantile|le)=/gm)];
  const misused = samples.filter(([, name = '', label]) =>
    label === 'quantile' ? types.get(name) !== 'summary' : types.get(name.replace(/_bucket$/, '')) !== 'histogram',
  );
  expect(misused.map(([line]) => line)).toEqual([]);
});
