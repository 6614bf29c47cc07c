import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Where a request came from, for the audit log. */
export interface RequestOrigin {
  readonly requestId: string;
  /** The peer's address, or what a trusted proxy says of it. */
  readonly address: string;
}

export function originOf(request: FastifyRequest): RequestOrigin {
  return { requestId: request.id, address: request.ip };
}

/** `@Origin() origin: RequestOrigin` */
export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  originOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
