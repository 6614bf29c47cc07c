import { FastifyAdapter } from '@nestjs/platform-fastify';
import { WeftError, type NewId } from '@weft/kernel';
import type { IncomingMessage } from 'node:http';
import { BodyFault } from './body-fault.js';
import { parseJsonBody } from './json-body.js';
import { rememberRoutes } from './route-table.js';

export const BODY_LIMIT_BYTES = 1024 * 1024;

export interface HttpAdapterOptions {
  readonly newId: NewId;
  /** CIDRs of the proxies whose `X-Forwarded-For` counts; empty: nobody's. */
  readonly trustProxy: readonly string[];
}

const VISIBLE = /^[\x21-\x7e]{1,128}$/;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The HTTP server of contract §1, before any route: how bodies are read, the request's id, the headers of every answer.
 * A body that cannot be read is not refused here but after the guards (`BodyFaultGuard`): first who, then what.
 */
export function createHttpAdapter({ newId, trustProxy }: HttpAdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']) ?? newId(),
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
  });
  const instance = adapter.getInstance();
  rememberRoutes(instance);
  instance.removeAllContentTypeParsers();
  const limit = { bodyLimit: BODY_LIMIT_BYTES };
  adapter.useBodyParser('application/json', false, limit, (_request, body, done) => {
    done(null, readBody(body as Buffer));
  });
  adapter.useBodyParser('*', false, limit, (_request, body, done) => {
    done(null, (body as Buffer).length === 0 ? undefined : UNSUPPORTED);
  });
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (request.url.startsWith('/api/') || request.url.startsWith('/auth/')) reply.header('cache-control', 'no-store');
    const { traceparent } = request.headers;
    if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent)) reply.header('traceparent', traceparent);
    done();
  });
  return adapter;
}

const UNSUPPORTED = new BodyFault(
  new WeftError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.'),
);

function readBody(body: Buffer): unknown {
  try {
    return parseJsonBody(body.toString('utf8'));
  } catch (error) {
    if (error instanceof WeftError) return new BodyFault(error);
    throw error;
  }
}

function requestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && VISIBLE.test(header) ? header : undefined;
}
