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

  const mayRead = insiderRule(settings.server.metricsToken);
  const report = (request: FastifyRequest) => health.report(mayRead(request) === undefined);
  for (const path of ['/health', '/api/health']) {
    server.get(path, (request, reply) => reply.code(health.isHealthy ? 200 : 503).send(report(request)));
  }
  server.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/health/ready', (request, reply) => {
    balancers.readinessAsked();
    return reply.code(health.isReady ? 200 : 503).send(report(request));
  });

  server.get('/metrics', async (request, reply) => {
    const refusal = mayRead(request);
    if (refusal) return sendProblem(refusal, request, reply);
    return reply.type(metrics.contentType).send(await metrics.page());
  });
}

/**
 * Figures tell about flows and companies, and what is wrong about the machines: this one may read it, others with the token.
 *
 * @returns why a caller may not
 */
function insiderRule(token: string | null): (request: FastifyRequest) => WeftError | undefined {
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
