import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from './dto.pipe.js';

/** Replaces a body that could not be read, until the guards have authenticated the caller. */
export class BodyFault {
  /** @param headers of the answer */
  constructor(
    readonly error: WeftError,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** What an operation that takes no body is sent: nothing, or `{}`. */
class NoBody {}

/**
 * Refuses bodies that are unreadable, or that the operation does not use: a field without effect is a mistake of the caller.
 * Registered after the guards of `auth/`, so that callers without a credential always get 401.
 */
@Injectable()
export class BodyFaultGuard implements CanActivate {
  private readonly readers = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { body } = http.getRequest<FastifyRequest>();
    if (body instanceof BodyFault) {
      void http.getResponse<FastifyReply>().headers(body.headers);
      throw body.error;
    }
    if (body !== undefined && !this.isRead(context)) readBody(NoBody, body);
    return true;
  }

  private isRead(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let isRead = this.readers.get(handler);
    if (isRead === undefined) {
      const args: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name);
      isRead = Object.keys(args ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
      this.readers.set(handler, isRead);
    }
    return isRead;
  }
}
