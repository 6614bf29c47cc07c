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
