export type { CheckOptions, CheckResult, HealthCheck, HealthReport } from './health/health-check.js';
export { HealthService, type HealthServiceOptions } from './health/health-service.js';
export { openLog, type Log, type LogOptions } from './logging/log.js';
export { LOG_CONTEXT, type LogContext } from './logging/log-context.js';
export { logModule } from './logging/log.module.js';
export type { MetricName, MetricRow } from './metrics/catalog.js';
export { Metrics } from './metrics/metrics.js';
export { CounterRow } from './metrics/series.js';
export { metricsModule } from './metrics/metrics.module.js';
