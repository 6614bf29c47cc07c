import { Controller, type DynamicModule } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { METRIC_PREFIX } from './catalog.js';
import type { Metrics } from './metrics.js';

/**
 * The usual metrics' own event loop lag: its timer would wake each process a hundred times a second, for what `watchEventLoop`
 * measures already. The timer cannot be left out; its gauges, which are only as exact as the timer, are.
 */
const USUAL_LAG_MS = 60_000;
const USUAL_LAG = `${METRIC_PREFIX}nodejs_eventloop_lag_`;

/** Gauges with the name of a counter; the same figures by type of resource are there without them. */
const USUAL_TOTALS = /nodejs_active_\w+_total$/;

/** libs/process serves `/metrics` without the app's guards, so the module's own route is left out. */
@Controller()
class ServedElsewhere {}

/**
 * Nest's Prometheus module over the registry of the process: the usual metrics of a Node process (CPU, heap, garbage collection,
 * handles; not its event loop lag, which the product measures) in addition to the product's own, and its decorators for further
 * metrics.
 */
export function metricsModule(metrics: Metrics): DynamicModule {
  const module = PrometheusModule.register({
    global: true,
    controller: ServedElsewhere,
    defaultMetrics: {
      enabled: true,
      config: { prefix: METRIC_PREFIX, register: metrics.registry, eventLoopMonitoringPrecision: USUAL_LAG_MS },
    },
  });
  for (const { name } of metrics.registry.getMetricsAsArray()) {
    if (name.startsWith(USUAL_LAG) || USUAL_TOTALS.test(name)) metrics.registry.removeSingleMetric(name);
  }
  return module;
}
