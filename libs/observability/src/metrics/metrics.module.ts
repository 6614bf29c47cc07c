import { Controller, type DynamicModule } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { METRIC_PREFIX } from './catalog.js';
import type { Metrics } from './metrics.js';

/** `/metrics` is served by libs/host beside the app's guards, so the module's own route is left out. */
@Controller()
class ServedElsewhere {}

/**
 * Nest's Prometheus module over the process' registry: the usual figures of a Node process (CPU, heap, garbage collection,
 * handles) beside the product's own, and its decorators for whoever wants a metric of their own.
 */
export function metricsModule(metrics: Metrics): DynamicModule {
  return PrometheusModule.register({
    global: true,
    controller: ServedElsewhere,
    defaultMetrics: { enabled: true, config: { prefix: METRIC_PREFIX, register: metrics.registry } },
  });
}
