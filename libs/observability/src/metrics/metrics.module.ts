import { Controller, type DynamicModule } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { METRIC_PREFIX } from './catalog.js';
import type { Metrics } from './metrics.js';

/** libs/process serves `/metrics` without the app's guards, so the module's own route is left out. */
@Controller()
class ServedElsewhere {}

/**
 * Nest's Prometheus module over the registry of the process: the usual metrics of a Node process (CPU, heap, garbage collection,
 * handles) in addition to the product's own, and its decorators for further metrics.
 */
export function metricsModule(metrics: Metrics): DynamicModule {
  return PrometheusModule.register({
    global: true,
    controller: ServedElsewhere,
    defaultMetrics: { enabled: true, config: { prefix: METRIC_PREFIX, register: metrics.registry } },
  });
}
