import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { problemOf } from '@weft/contracts';
import { noteRefusal, publicPathOf } from '@weft/process';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefersHtml } from '../auth/login-redirect.js';
import { isDashboard, sendDashboard } from '../pages/dashboard.js';
import { errorOf, frameworkCodesOf, PROBLEM_TYPE } from './problem.js';
import { methodsAt } from './route-table.js';

/** The one place where an error becomes an answer: docs/http-api.md §1.7. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (isUnrouted(thrown) && isDashboard(request.method, pathOf(request)) && prefersHtml(request.headers.accept)) {
      sendDashboard(reply);
      return;
    }
    const error = isUnrouted(thrown) ? refuseUnrouted(request, reply) : errorOf(thrown, request);
    noteRefusal(request, error.code);
    if (error.code === 'internal') this.tellCause(error, request);
    if (reply.sent) {
      reply.raw.destroy(); // a stream broke in its middle: the client must not take it for whole
      return;
    }
    if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', String(error.retryAfterSeconds));
    const problem = problemOf(error, publicPathOf(request.url), request.id);
    // as bytes: to text the server would add a charset, which problem+json does not have
    const body = Buffer.from(JSON.stringify(problem));
    void reply.status(error.status).header('content-type', PROBLEM_TYPE).send(body);
  }

  private tellCause({ cause }: WeftError, request: FastifyRequest): void {
    const err = cause instanceof Error ? cause : new Error(String(cause));
    const { id: request_id, method, routeOptions } = request;
    this.logger.error({ err, request_id, method, path: routeOptions.url, message: 'a request failed unexpectedly' });
  }
}

/**
 * Converts Nest's error for a path and method that no route matched; our own handlers throw `WeftError`. Also Fastify's error
 * for QUERY, which no route takes: Fastify checks the content type before the route.
 */
function isUnrouted(thrown: unknown): boolean {
  if (thrown instanceof HttpException && thrown.getStatus() === 404) return true;
  return frameworkCodesOf(thrown).includes('FST_ERR_ROUTE_MISSING_CONTENT_TYPE');
}

function refuseUnrouted(request: FastifyRequest, reply: FastifyReply): WeftError {
  const methods = methodsAt(request.server, pathOf(request));
  const path = publicPathOf(request.url);
  if (methods.length === 0) return new WeftError('not_found', `Nothing answers at ${path}.`);
  void reply.header('allow', methods.join(', '));
  return new WeftError('method_not_allowed', `${path} takes ${methods.join(', ')}, not ${request.method}.`);
}

/** As it came: what is shown of it is `publicPathOf`. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}
