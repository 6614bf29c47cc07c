import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { sendProblem } from './http-server.js';

/** The error filter of a process without an API: for its few routes and for unknown paths. */
@Catch()
export class ServiceFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    void sendProblem(this.toWeftError(thrown), request, host.switchToHttp().getResponse<FastifyReply>());
  }

  private toWeftError(thrown: unknown): WeftError {
    if (thrown instanceof WeftError) return thrown;
    if (thrown instanceof HttpException && thrown.getStatus() === 404) {
      return new WeftError('not_found', 'Nothing answers at this path.');
    }
    this.logger.error({ err: thrown, message: 'a request failed unexpectedly' });
    return new WeftError('internal', 'The request could not be served.', { cause: thrown });
  }
}
