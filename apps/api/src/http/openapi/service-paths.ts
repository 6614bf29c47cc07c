import type { ErrorCode } from '@weft/kernel';
import type { HealthReport } from '@weft/observability';
import { named, object, oneOf, text, time, type Schema } from '../schema.js';
import { headers } from './headers.js';
import type { Operation, Paths } from './operations.js';
import { describeRefusals } from './refusals.js';

type Checks = HealthReport['checks'];

const check = object<Checks['database']>(
  {
    status: oneOf(['healthy', 'unhealthy']),
    latency_ms: { type: 'number' },
    error: { ...text, description: 'For callers on the same machine, and those with METRICS_TOKEN.' },
  },
  ['latency_ms', 'error'],
);

const healthReport = named(
  'HealthReport',
  object<HealthReport>({
    status: { ...oneOf(['healthy', 'unhealthy']), description: 'Unhealthy: this process cannot do its work.' },
    version: text,
    timestamp: time,
    checks: object<Checks>({
      database: check,
      config: object<Checks['config']>({ status: oneOf(['ok']), loaded_at: time }),
      components: object<Checks['components']>({
        status: oneOf(['ok', 'unavailable']),
        ai: oneOf(['ready', 'unavailable']),
        storage: oneOf(['ready', 'unavailable']),
      }),
      queue: check,
    }),
  }),
);

/** The routes that every process serves besides the controllers (libs/process, `addServiceRoutes`), described by hand. */
export function servicePaths(shared: Record<string, object>): Paths {
  const get = (operation: Operation, codes: readonly ErrorCode[] = []) => {
    describeRefusals(operation, codes, shared);
    return { get: operation };
  };
  const health = (operationId: string, summary: string) =>
    get({
      ...open,
      operationId,
      summary,
      responses: { 200: json('It can.', healthReport), 503: json('Not now.', healthReport) },
    });
  return {
    '/health': health('Health_read', 'Whether the process can do its work'),
    '/api/health': health('Health_read_api', 'The same as /health'),
    '/health/live': get({
      ...open,
      operationId: 'Health_live',
      summary: 'Whether the process turns: for liveness probes',
      responses: { 200: json('It does.', object<{ status: string }>({ status: oneOf(['ok']) })) },
    }),
    '/health/ready': health('Health_ready', 'Whether it takes requests: for readiness probes; not while it drains'),
    '/metrics': get(
      {
        ...open,
        operationId: 'Metrics_read',
        summary: 'Read the metrics of the process, for Prometheus',
        description: 'For callers on the same machine; with METRICS_TOKEN as a bearer token also for others.',
        responses: { 200: answer('Prometheus text.', 'text/plain', text) },
      },
      ['unauthenticated', 'denied'],
    ),
  };
}

const open = { tags: ['Health and description'], description: 'Public: no credential is asked for.', security: [] };

function json(description: string, schema: Schema) {
  return answer(description, 'application/json', schema);
}

function answer(description: string, type: string, schema: Schema) {
  return { description, headers: headers('X-Request-Id'), content: { [type]: { schema } } };
}
