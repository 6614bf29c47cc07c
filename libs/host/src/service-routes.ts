import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '@weft/config';
import { WeftError } from '@weft/kernel';
import type { HealthService, Metrics } from '@weft/observability';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { BalancerWatch } from './balancer-watch.js';
import { sendProblem } from './http-server.js';

/** `/health` and its kin, and `/metrics` (contract §8): plain routes, so that they answer whatever the app's guards do. */
export function addServiceRoutes(
  server: FastifyInstance,
  parts: { settings: Settings; health: HealthService; metrics: Metrics },
  balancers: BalancerWatch,
): void {
  const { settings, health, metrics } = parts;

  for (const path of ['/health', '/api/health']) {
    server.get(path, (_request, reply) => reply.code(health.isHealthy ? 200 : 503).send(health.report()));
  }
  server.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/health/ready', (_request, reply) => {
    balancers.readinessAsked();
    return reply.code(health.isReady ? 200 : 503).send(health.report());
  });

  const mayRead = metricsRule(settings.server.metricsToken);
  server.get('/metrics', async (request, reply) => {
    const refusal = mayRead(request);
    if (refusal) return sendProblem(refusal, request, reply);
    return reply.type(metrics.contentType).send(await metrics.page());
  });
}

/** Figures tell about flows and companies: this machine may read them, others with the token. */
function metricsRule(token: string | null): (request: FastifyRequest) => WeftError | undefined {
  const expected = token === null ? undefined : digest(`Bearer ${token}`);
  return (request) => {
    const given = request.headers.authorization;
    if (expected && given !== undefined && timingSafeEqual(digest(given), expected)) return undefined;
    if (isLoopback(request.socket.remoteAddress) && !wasForwarded(request)) return undefined;
    return expected
      ? new WeftError('unauthenticated', 'Send METRICS_TOKEN as a bearer token.')
      : new WeftError('denied', 'Only this machine may read the metrics. Set METRICS_TOKEN to let others in.');
  };
}

function isLoopback(address = ''): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(address);
}

/** A proxy on this machine makes everybody look local. */
function wasForwarded(request: FastifyRequest): boolean {
  return request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
