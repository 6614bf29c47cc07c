import { randomBytes } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { problemOf } from '@weft/contracts';
import { WeftError, type ErrorCode } from '@weft/kernel';
import { rarely, WORK_CONTEXT, type HealthService, type Metrics, type Tracing } from '@weft/observability';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

import { publicPathOf } from './public-path.js';
import { RequestSpans } from './request-spans.js';
import { drainUnreadBodies } from './unread-body.js';

/** Sizes and times of docs/operator-contract.md §1 and docs/reliability.md S33. */
const LIMITS = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  /** Time for a client to send its whole request; does not limit the answer. */
  requestTimeoutMs: 30_000,
  /** Above the 60 s after which common load balancers drop an idle connection, so that they never write into a closed one. */
  keepAliveTimeoutMs: 75_000,
  pathParameterLength: 300,
};

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const UNMATCHED = 'unmatched';

/** The HTTP server of a process, before any route: limits, request ids, one meaning for each path (docs/security.md S6). */
export function createAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    logger: false,
    genReqId: requestIds(),
    trustProxy: false,
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: LIMITS.requestTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveTimeoutMs,
    return503OnClosing: false, // requests that arrive while draining are served; their clients then connect to another replica
    http: { maxHeaderSize: LIMITS.headerBytes, headersTimeout: LIMITS.headersTimeoutMs },
    routerOptions: {
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      caseSensitive: true,
      maxParamLength: LIMITS.pathParameterLength,
    },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const notFound = new WeftError('not_found', 'The path cannot be read.');
      void sendProblem(notFound, request, reply);
    },
    clientErrorHandler: refuseUnreadable,
  });
}

/** The hooks of every request: its id, the headers of every answer, one log line, one count. */
export function addHttpHooks(
  server: FastifyInstance,
  parts: { log: Logger; metrics: Metrics; health: HealthService; tracing: Tracing },
): void {
  const { metrics, health } = parts;
  const log = parts.log.child({ component: 'http' });
  const spans = new RequestSpans(parts.tracing);
  // while a store is unreachable every request is refused: the lines would push out of a log what says since when and why
  const tellOutage = rarely((line, times) => log.error({ ...(line as RequestLine), times }, 'request'));

  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store'); // a handler whose answer may be cached overrides this
    const trace = spans.begin(request);
    if (trace) reply.header('traceparent', trace.traceparent);
    if (trace?.tracestate !== undefined) reply.header('tracestate', trace.tracestate);
    if (health.isDraining) reply.header('connection', 'close');
    done();
  });

  // Not earlier: reading the body leaves the context that was entered before it.
  server.addHook('preHandler', (request, _reply, done) =>
    WORK_CONTEXT.run({ request_id: request.id, span: spans.of(request) }, done),
  );

  drainUnreadBodies(server);

  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    const status = reply.statusCode;
    spans.end(request, status);
    metrics.httpRequest(request.method, route, status, reply.elapsedTime / 1_000);
    const worthTelling = status >= 400 && !route.includes('/health'); // probes ask every second, and health logs its own changes
    const isDebugged = log.isLevelEnabled('debug');
    if (worthTelling || isDebugged) {
      const line = requestLine(request, status, reply.elapsedTime);
      if (line.code === 'store_unavailable' && !isDebugged) tellOutage(line);
      else log[levelOf(status)](line, 'request');
    }
    done();
  });
}

const REFUSALS = new WeakMap<FastifyRequest, ErrorCode>();

/** Records the problem of an answer, so that the access log can name its code. */
export function noteRefusal(request: FastifyRequest, code: ErrorCode): void {
  REFUSALS.set(request, code);
}

/** Sends an error outside of Nest's pipeline, in the format of docs/http-api.md §1.7. */
export function sendProblem(error: WeftError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  noteRefusal(request, error.code);
  return reply
    .code(error.status)
    .header('x-request-id', request.id)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(error, publicPathOf(request.raw.url), request.id)));
}

interface RequestLine {
  readonly code: ErrorCode | undefined;
  readonly [field: string]: unknown;
}

function requestLine(request: FastifyRequest, status: number, elapsedMs: number): RequestLine {
  return {
    request_id: request.id,
    method: request.method,
    path: publicPathOf(request.raw.url).slice(0, 200),
    status,
    code: REFUSALS.get(request),
    duration_ms: Math.round(elapsedMs * 10) / 10,
  };
}

function levelOf(status: number): 'error' | 'info' | 'debug' {
  return status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
}

/** The caller's id if it is safe in logs and headers, otherwise a new one. */
function requestIds(): (request: IncomingMessage) => string {
  const tag = randomBytes(6).toString('hex');
  let count = 0;
  return (request) => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : `${tag}-${(count += 1).toString(36)}`;
  };
}

/** What Node says of a request that it gives up reading. */
const UNREADABLE: Readonly<Record<string, WeftError>> = {
  HPE_HEADER_OVERFLOW: new WeftError(
    'headers_too_large',
    `The request line and the headers may have ${LIMITS.headerBytes / 1024} KB together.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new WeftError('request_timeout', 'The request did not arrive in time.'),
};

/** For bytes that are not an HTTP request: there is no request object, so the answer is written to the socket. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    UNREADABLE[error.code ?? ''] ?? new WeftError('malformed_request', 'The bytes are not an HTTP request.');
  const body = JSON.stringify(problemOf(refusal, '', ''));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}
