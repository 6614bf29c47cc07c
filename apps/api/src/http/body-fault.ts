import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { WeftError } from '@weft/kernel';
import type { FastifyRequest } from 'fastify';

/** Stands in the place of a body that could not be read, until the guards have said who is asking. */
export class BodyFault {
  constructor(readonly error: WeftError) {}
}

/** Refuses unreadable bodies. Registered after the guards of `auth/`, so that a stranger hears 401 whatever was sent. */
@Injectable()
export class BodyFaultGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body instanceof BodyFault) throw body.error;
    return true;
  }
}
