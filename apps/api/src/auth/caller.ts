import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication guard; absent where the route is public. */
    caller?: Principal;
  }
}

export function callerOf(request: FastifyRequest): Principal {
  if (!request.caller) throw new WeftError('unauthenticated', 'Sign in first.');
  return request.caller;
}

/** `@Caller() caller: Principal`, in handlers with `@Requires`. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
