import type { Settings } from '@weft/config';
import type { HealthService, Metrics } from '@weft/observability';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { BalancerWatch } from './balancer-watch.js';
import { sendProblem } from './http-server.js';
import { insiderRule } from './insider-rule.js';

/** `/health`, `/health/live`, `/health/ready` and `/metrics` (docs/http-api.md §8): plain routes, which the app's guards do not affect. */
export function addServiceRoutes(
  server: FastifyInstance,
  parts: { settings: Settings; health: HealthService; metrics: Metrics },
  balancers: BalancerWatch,
): void {
  const { settings, health, metrics } = parts;

  const refusalOf = insiderRule(settings.server.metricsToken);
  const refusal = ({ socket, raw, headers }: FastifyRequest) =>
    refusalOf({ peer: socket.remoteAddress, httpVersion: raw.httpVersion, headers });
  const report = (request: FastifyRequest) => health.report(refusal(request) === undefined);
  for (const path of ['/health', '/api/health']) {
    server.get(path, (request, reply) => reply.code(health.isHealthy ? 200 : 503).send(report(request)));
  }
  server.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/health/ready', (request, reply) => {
    balancers.readinessAsked();
    return reply.code(health.isReady ? 200 : 503).send(report(request));
  });

  server.get('/metrics', async (request, reply) => {
    const denied = refusal(request);
    if (denied) return sendProblem(denied, request, reply);
    return reply.type(metrics.contentType).send(await metrics.page());
  });
}
