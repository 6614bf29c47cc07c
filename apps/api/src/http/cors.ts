import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** What pages of other origins may send and read besides what browsers allow anyway. */
const SENT = ['Authorization', 'Content-Type', 'Idempotency-Key', 'Idempotency-Strict', 'If-Match', 'If-None-Match'];
const READ = [
  ...['Content-Disposition', 'ETag', 'Location', 'Retry-After', 'X-Request-Id'],
  ...['Idempotency-Mismatch', 'Idempotency-Replayed', 'Idempotency-Retried'],
];
const REMEMBERED_SECONDS = 600;

/**
 * Lets pages of these origins (`*`: of all) call the API with keys. Browsers get no word that they may send cookies, so
 * nobody's session is used by them.
 */
export function allowOrigins(adapter: FastifyAdapter, origins: readonly string[]): void {
  if (origins.length === 0) return;
  adapter.enableCors({
    origin: origins.includes('*') ? '*' : [...origins],
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: SENT,
    exposedHeaders: READ,
    maxAge: REMEMBERED_SECONDS,
  });
}
